package setting

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

type sample struct {
	Name  string        `key:"name" doc:"who it is" example:"ada" verdict:"true"`
	Inner inner         `key:"inner" doc:"what is inside"`
	Flat  flat          `key:""`
	Left  chan struct{} `key:"-"`
}

type inner struct {
	Age    time.Duration `key:"age" verdict:"true"`
	Size   Bytes         `key:"size" verdict:"true"`
	Secret string        `key:"secret" secret:"true"`
	Deep   deep          `key:"deep"`
}

type deep struct {
	Mode string `key:"mode" enum:"a|b" verdict:"true"`
	Bits int    `key:"bits" enum:"4|8" verdict:"true"`
	Kind string `key:"kind"`
}

// Choices returns the words of a table.
func (deep) Choices(key string) []string {
	return map[string][]string{"mode": {"not asked"}, "kind": {"p", "q"}}[key]
}

type flat struct {
	Ratio float64  `key:"ratio" verdict:"true"`
	On    bool     `key:"on" verdict:"true"`
	Words []string `key:"words" enum:"x|y|z" verdict:"true"`
}

func defaults() sample {
	return sample{
		Name:  "bob",
		Inner: inner{Age: 24 * time.Hour, Size: GiB, Secret: "hush", Deep: deep{Mode: "a", Bits: 8, Kind: "p"}},
		Flat:  flat{Ratio: 0.8, Words: []string{"x", "y"}},
	}
}

func field(t *testing.T, params any, key string) Field {
	t.Helper()
	for _, f := range Fields(params) {
		if f.Key == key {
			return f
		}
	}
	t.Fatalf("no setting %s", key)
	return Field{}
}

func TestWalkVisitsSectionsBeforeTheirSettings(t *testing.T) {
	var keys []string
	Walk(defaults(), func(f Field) { keys = append(keys, f.Key) })
	want := "name inner inner.age inner.size inner.secret inner.deep inner.deep.mode inner.deep.bits inner.deep.kind " +
		"ratio on words"
	if got := strings.Join(keys, " "); got != want {
		t.Errorf("visited %s\nwant    %s", got, want)
	}
}

func TestFieldTellsItsTags(t *testing.T) {
	s := defaults()
	name, mode, secret := field(t, s, "name"), field(t, s, "inner.deep.mode"), field(t, s, "inner.secret")
	if name.Doc != "who it is" || name.Example != "ada" || !name.Verdict || name.Secret || name.Depth() != 0 {
		t.Errorf("name: %+v", name)
	}
	if kind := field(t, s, "inner.deep.kind"); !slices.Equal(kind.Enum, []string{"p", "q"}) {
		t.Errorf("kind: %+v", kind)
	}
	if !slices.Equal(mode.Enum, []string{"a", "b"}) || mode.Depth() != 2 || mode.Name() != "mode" {
		t.Errorf("mode: %+v", mode)
	}
	if !secret.Secret || secret.Verdict {
		t.Errorf("secret: %+v", secret)
	}
}

func TestWalkPanicsAtBrokenConventions(t *testing.T) {
	for name, params := range map[string]any{
		"no tag":     struct{ A int }{},
		"unexported": struct{ a int }{},
		"type": struct {
			A map[string]int `key:"a"`
		}{},
		"unsigned": struct {
			A uint `key:"a"`
		}{},
		"secret verdict": struct {
			A string `key:"a" secret:"true" verdict:"true"`
		}{},
		"secret number": struct {
			A int `key:"a" secret:"true"`
		}{},
		"verdict section": struct {
			A deep `key:"a" verdict:"true"`
		}{},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			Walk(params, func(Field) {})
		})
	}
}

// TestTags: one pass over the tags reads what reflect reads tag by tag.
func TestTags(t *testing.T) {
	for _, tag := range []reflect.StructTag{
		``, `key:""`, `key:"a"`, `json:"x" key:"a" doc:"says \"so\": b" example:"1 | 2" enum:"p|q"`,
		`verdict:"true" bound:"true"  omit:"0" key:"k"`, `omit:"" key:"k"`, `secret:"true" key:"k" files:"false"`, ` key:"k" files:"true" advanced:"true"`,
		`key`, `doc:"not closed`,
	} {
		key, keyed := tag.Lookup("key")
		omit, omits := tag.Lookup("omit")
		want := Field{
			Key: key, Doc: tag.Get("doc"), Example: tag.Get("example"), Omit: omit, Omits: omits,
			Secret: tag.Get("secret") == "true", Verdict: tag.Get("verdict") == "true", Bound: tag.Get("bound") == "true",
			Files: tag.Get("files") == "true", Advanced: tag.Get("advanced") == "true",
		}
		if words := tag.Get("enum"); words != "" {
			want.Enum = strings.Split(words, "|")
		}
		if got, is := taggedField(tag); !reflect.DeepEqual(got, want) || is != keyed {
			t.Errorf("%s: %+v, %t, want %+v, %t", tag, got, is, want, keyed)
		}
	}
}
