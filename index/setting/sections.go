package setting

import (
	"reflect"
	"strconv"
	"strings"
)

// A Defaulter is an element of a list of sections, by its pointer, that has other defaults than those of Go.
type Defaulter interface {
	SetDefaults()
}

// Repeated says whether the field is a list of sections: a slice of structs whose fields carry tags.
func (f Field) Repeated() bool {
	return f.value.Kind() == reflect.Slice && f.value.Type().Elem().Kind() == reflect.Struct
}

// Element says whether the field is an element of a list of sections.
func (f Field) Element() bool { return strings.HasSuffix(f.Key, "]") }

// Len returns the number of elements of a list of sections.
func (f Field) Len() int { return f.value.Len() }

// Resize gives a list of sections n new elements, which have the defaults. The fields of those before them are of no
// use any more.
func (f Field) Resize(n int) {
	list := reflect.Zero(f.value.Type())
	for range n {
		list = reflect.Append(list, f.newElement())
	}
	f.value.Set(list)
}

// Decides says whether some setting below a section decides verdicts.
func (f Field) Decides() (yes bool) {
	f.shape = true
	f.Walk(func(below Field) { yes = yes || below.Verdict })
	return yes
}

func (f Field) newElement() reflect.Value {
	e := reflect.New(f.value.Type().Elem())
	if d, ok := e.Interface().(Defaulter); ok {
		d.SetDefaults()
	}
	return e.Elem()
}

func (f Field) walkElements(visit func(Field)) {
	if f.shape {
		f.walkElement("[]", f.newElement(), visit)
		return
	}
	for i := range f.value.Len() {
		f.walkElement("["+strconv.Itoa(i)+"]", f.value.Index(i), visit)
	}
}

func (f Field) walkElement(index string, v reflect.Value, visit func(Field)) {
	e := Field{Key: f.Key + index, Doc: f.Doc, Advanced: f.Advanced, value: v, shape: f.shape}
	visit(e)
	e.Walk(visit)
}

// Parent returns the key of what is around a key: sources[1].topics is in sources[1], which is in sources, which is in
// nothing.
func Parent(key string) string {
	if strings.HasSuffix(key, "]") {
		return key[:max(strings.LastIndexByte(key, '['), 0)]
	}
	return key[:max(strings.LastIndexByte(key, '.'), 0)]
}

// Plain returns a key without the indices of elements: sources.topics for sources[1].topics and for sources[].topics.
func Plain(key string) string {
	for {
		before, rest, found := strings.Cut(key, "[")
		_, after, closed := strings.Cut(rest, "]")
		if !found || !closed {
			return key
		}
		key = before + after
	}
}
