package document

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/unecho/unecho/consumer/document/registry"
)

// protoSchema is a schema of Protobuf as it is walked: the plans of the messages that values may be. It does not change.
type protoSchema struct {
	one   *protoPlan            // of all values, where a setting names it and the schema comes from a file
	at    []int                 // where that message is in its file
	plans map[string]*protoPlan // by the place in the file, as protoPlace writes it
	enums []protoreflect.EnumDescriptor
	paths []path
}

func newProtoSchema(paths []path) *protoSchema {
	return &protoSchema{plans: map[string]*protoPlan{}, paths: paths}
}

// protoPlan is how a message is walked in which paths are followed.
type protoPlan struct {
	name   string
	fields map[protowire.Number]*protoField
	absent []protoAbsent
}

// protoAbsent is what a field is that no value of the message has, where the schema does not tell the two apart.
type protoAbsent struct {
	paths uint64
	value value
}

// protoField is a field through which paths lead, or one whose presence makes others of its oneof absent.
type protoField struct {
	want    uint64
	others  uint64 // paths that lead through the other members of its oneof
	kind    protoreflect.Kind
	list    bool
	enum    int32 // the number of its type, for EnumKind
	message *protoPlan
	keys    []protoKey // of a map
	entry   *protoEntry
}

// protoEntry is what the entries of a map are made of.
type protoEntry struct{ key, value *protoField }

// protoKey is a key of a map through which paths lead.
type protoKey struct {
	name  string
	want  uint64
	value *protoField
}

// protoCompiler makes plans.
type protoCompiler struct {
	paths []path
	texts uint64 // those that may lead through lists
	enums *[]protoreflect.EnumDescriptor
}

// plan makes the plan of a message at which a set of paths has arrived. A path ends, so there are not many.
func (c *protoCompiler) plan(m protoreflect.MessageDescriptor, depth int, want uint64) *protoPlan {
	p := &protoPlan{name: string(m.FullName()), fields: map[protowire.Number]*protoField{}}
	for ; want != 0; want &= want - 1 {
		i := bits.TrailingZeros64(want)
		if len(c.paths[i]) <= depth {
			continue
		}
		d := fieldOf(m, c.paths[i][depth])
		if d == nil {
			continue
		}
		if p.fields[d.Number()] == nil {
			p.fields[d.Number()] = &protoField{kind: d.Kind(), list: d.IsList()}
		}
		p.fields[d.Number()].want |= 1 << i
	}
	for number, f := range p.fields {
		c.fill(f, m.Fields().ByNumber(number), depth)
		if f.want != 0 {
			p.absent = append(p.absent, c.absent(f, m.Fields().ByNumber(number), depth)...)
		}
	}
	c.oneofs(m, p)
	return p
}

// fieldOf finds a field by its name, or by its name in JSON.
func fieldOf(m protoreflect.MessageDescriptor, name string) protoreflect.FieldDescriptor {
	if d := m.Fields().ByName(protoreflect.Name(name)); d != nil {
		return d
	}
	return m.Fields().ByJSONName(name)
}

// fill makes what stands behind a field.
func (c *protoCompiler) fill(f *protoField, d protoreflect.FieldDescriptor, depth int) {
	switch {
	case d.IsMap():
		key, val := d.MapKey(), d.MapValue()
		f.entry = &protoEntry{&protoField{kind: key.Kind()}, &protoField{kind: val.Kind()}}
		f.keys = c.keys(f, val, depth)
	case d.IsList() && d.Message() != nil:
		if want := c.longer(f.want&c.texts, depth+1); want != 0 {
			f.message = c.plan(d.Message(), depth+1, want)
		}
	case d.Message() != nil:
		f.message = c.plan(d.Message(), depth+1, f.want)
	}
	if d.Enum() != nil {
		f.enum = c.enum(d.Enum())
	}
}

// longer returns the paths of want that have more than so many names.
func (c *protoCompiler) longer(want uint64, names int) (longer uint64) {
	for ; want != 0; want &= want - 1 {
		if i := bits.TrailingZeros64(want); len(c.paths[i]) > names {
			longer |= 1 << i
		}
	}
	return longer
}

func (c *protoCompiler) enum(d protoreflect.EnumDescriptor) int32 {
	i := slices.Index(*c.enums, d)
	if i < 0 {
		i, *c.enums = len(*c.enums), append(*c.enums, d)
	}
	return int32(i)
}

func (c *protoCompiler) keys(f *protoField, val protoreflect.FieldDescriptor, depth int) (keys []protoKey) {
	for want := f.want; want != 0; want &= want - 1 {
		i := bits.TrailingZeros64(want)
		if len(c.paths[i]) <= depth+1 {
			continue
		}
		name := c.paths[i][depth+1]
		k := slices.IndexFunc(keys, func(k protoKey) bool { return k.name == name })
		if k < 0 {
			k, keys = len(keys), append(keys, protoKey{name: name})
		}
		keys[k].want |= 1 << i
	}
	for i := range keys {
		keys[i].value = &protoField{kind: val.Kind(), want: keys[i].want}
		c.fill(keys[i].value, val, depth+1)
	}
	return keys
}

// absent says what the paths that end at a field find where no value has it.
func (c *protoCompiler) absent(f *protoField, d protoreflect.FieldDescriptor, depth int) []protoAbsent {
	var ends uint64
	for want := f.want; want != 0; want &= want - 1 {
		if i := bits.TrailingZeros64(want); len(c.paths[i]) == depth+1 {
			ends |= 1 << i
		}
	}
	switch {
	case ends == 0 || d.HasPresence():
		return nil
	case d.IsMap():
		return []protoAbsent{{ends, value{kind: isObject}}}
	case d.IsList():
		return []protoAbsent{{ends, value{kind: isArray, start: noElement}}}
	}
	return []protoAbsent{{ends, f.scalar(0, 0, 0)}}
}

// noElement is where the first element of an empty list is.
const noElement = -1

// oneofs notes for each member of a oneof the paths that lead through the others: the last member counts.
func (c *protoCompiler) oneofs(m protoreflect.MessageDescriptor, p *protoPlan) {
	for i := range m.Oneofs().Len() {
		members := m.Oneofs().Get(i).Fields()
		if members.Len() < 2 {
			continue
		}
		var all uint64
		for k := range members.Len() {
			if f := p.fields[members.Get(k).Number()]; f != nil {
				all |= f.want
			}
		}
		for k := 0; all != 0 && k < members.Len(); k++ {
			d := members.Get(k)
			if p.fields[d.Number()] == nil {
				p.fields[d.Number()] = &protoField{kind: d.Kind()}
			}
			f := p.fields[d.Number()]
			f.others = all &^ f.want
		}
	}
}

// protoFiles makes the schema of a file of descriptors, in which a setting names the message.
func protoFiles(text []byte, message string, paths []path, texts int) (*protoSchema, error) {
	var set descriptorpb.FileDescriptorSet
	if err := proto.Unmarshal(text, &set); err != nil {
		return nil, fmt.Errorf("read the descriptors: %w", err)
	}
	files, err := protodesc.FileOptions{AllowUnresolvable: true}.NewFiles(&set)
	if err != nil {
		return nil, fmt.Errorf("read the descriptors: %w", err)
	}
	found, err := files.FindDescriptorByName(protoreflect.FullName(message))
	m, is := found.(protoreflect.MessageDescriptor)
	if err != nil || !is {
		return nil, fmt.Errorf("the descriptors hold no message %s", message)
	}
	s := newProtoSchema(paths)
	c := protoCompiler{paths: paths, texts: 1<<texts - 1, enums: &s.enums}
	s.one = c.plan(m, 0, 1<<len(paths)-1)
	for d := protoreflect.Descriptor(m); d.Parent() != nil; d = d.Parent() { // a file has no parent
		s.at = append([]int{d.Index()}, s.at...)
	}
	return s, nil
}

// protoText makes the schema of a registry: the text of a .proto file, or its descriptor in base64.
func protoText(schema registry.Schema, paths []path, texts int) (*protoSchema, error) {
	file, err := protoFile(schema)
	if err != nil {
		return nil, err
	}
	s := newProtoSchema(paths)
	c := protoCompiler{paths: paths, texts: 1<<texts - 1, enums: &s.enums}
	var add func(of protoreflect.MessageDescriptors, at []int)
	add = func(of protoreflect.MessageDescriptors, at []int) {
		for i := range of.Len() {
			if m := of.Get(i); !m.IsMapEntry() {
				here := append(slices.Clone(at), i)
				s.plans[protoPlace(here)] = c.plan(m, 0, 1<<len(paths)-1)
				add(m.Messages(), here)
			}
		}
	}
	add(file.Messages(), nil)
	if len(s.plans) == 0 {
		return nil, errors.New("the schema has no message")
	}
	return s, nil
}

// protoPlace writes where a message is in its file.
func protoPlace(at []int) string { return strings.Trim(fmt.Sprint(at), "[]") }

// mainFile is what the file of a schema is called.
const mainFile = "schema.proto"

func protoFile(schema registry.Schema) (protoreflect.FileDescriptor, error) {
	texts := map[string]string{mainFile: schema.Text}
	for name, text := range builtIn() {
		texts[name] = text
	}
	for _, r := range schema.Before {
		texts[r.Name] = r.Text
	}
	for _, text := range texts {
		if err := bounded(text); err != nil {
			return nil, err
		}
	}
	compiler := protocompile.Compiler{
		Resolver: protocompile.WithStandardImports(&protocompile.SourceResolver{
			Accessor: protocompile.SourceAccessorFromMap(texts),
		}),
	}
	files, err := compiler.Compile(context.Background(), mainFile) // from memory, so that nothing is waited for
	if err == nil {
		return files[0], nil
	}
	if file, binary := protoBinary(schema.Text); binary {
		return file, nil
	}
	return nil, fmt.Errorf("read the schema: %w", err)
}

// Bounds of a schema's text. The compiler takes a time that grows with the square of how deep options nest.
const (
	maxProtoText    = 1 << 20
	maxProtoNesting = 200
)

// bounded returns an error for a text that would take long to compile.
func bounded(text string) error {
	if len(text) > maxProtoText {
		return fmt.Errorf("the schema has %d bytes, and %d are the most", len(text), maxProtoText)
	}
	for i, depth := 0, 0; i < len(text); i++ {
		switch text[i] {
		case '{', '<', '[', '(':
			depth++
		case '}', '>', ']', ')':
			depth = max(0, depth-1)
		}
		if depth > maxProtoNesting {
			return fmt.Errorf("the schema nests deeper than %d", maxProtoNesting)
		}
	}
	return nil
}

// protoBinary reads a descriptor in base64, as some registries keep it.
func protoBinary(text string) (protoreflect.FileDescriptor, bool) {
	raw, err := base64.StdEncoding.DecodeString(text)
	var d descriptorpb.FileDescriptorProto
	if err != nil || proto.Unmarshal(raw, &d) != nil {
		return nil, false
	}
	file, err := protodesc.FileOptions{AllowUnresolvable: true}.New(&d, nil)
	return file, err == nil
}

// builtIn are the files that schemas of Confluent's registry import without a reference.
func builtIn() map[string]string {
	options := ""
	for _, of := range []string{"File", "Message", "Field", "Enum", "EnumValue"} {
		options += fmt.Sprintf("extend google.protobuf.%sOptions { Meta %s_meta = 1088; }\n", of,
			strings.ReplaceAll(strings.ToLower(of), "enumvalue", "enum_value"))
	}
	return map[string]string{
		"confluent/meta.proto": `syntax = "proto3"; package confluent; import "google/protobuf/descriptor.proto";
			message Meta { string doc = 1; map<string, string> params = 2; repeated string tags = 3; }` + options,
		"confluent/type/decimal.proto": `syntax = "proto3"; package confluent.type;
			message Decimal { bytes value = 1; uint32 precision = 2; int32 scale = 3; }`,
	}
}
