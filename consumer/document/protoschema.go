package document

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/bufbuild/protocompile"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/descriptorpb"

	"github.com/unecho/unecho/consumer/document/registry"
)

// protoSchema is a schema of Protobuf as it is walked: the messages that values may be. It does not change.
type protoSchema struct {
	one   *protoPlan            // of all values, where a setting names it and the schema comes from a file
	at    []int                 // where that message is in its file
	plans map[string]*protoPlan // by the place in the file, as protoPath writes it
}

// protoPlan is how a message is walked.
type protoPlan struct {
	name string
	ways [][]protoreflect.FieldDescriptor // for each name of each path the field, as far as there is one; for a map's key, that of the values
}

func newProtoPlan(m protoreflect.MessageDescriptor, paths []path) *protoPlan {
	p := &protoPlan{name: string(m.FullName())}
	for _, at := range paths {
		var way []protoreflect.FieldDescriptor
		for in := m; in != nil && len(way) < len(at); {
			f := fieldOf(in, at[len(way)])
			if f == nil {
				break
			}
			if way = append(way, f); f.IsMap() {
				f = f.MapValue()
				way = append(way, f)
			}
			in = f.Message()
		}
		p.ways = append(p.ways, way)
	}
	return p
}

// fieldOf finds a field by its name, or by its name in JSON.
func fieldOf(m protoreflect.MessageDescriptor, name string) protoreflect.FieldDescriptor {
	if d := m.Fields().ByName(protoreflect.Name(name)); d != nil {
		return d
	}
	return m.Fields().ByJSONName(name)
}

// protoFiles makes the schema of a file of descriptors, in which a setting names the message.
func protoFiles(text []byte, message string, paths []path) (*protoSchema, error) {
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
	s := &protoSchema{one: newProtoPlan(m, paths)}
	for d := protoreflect.Descriptor(m); d.Parent() != nil; d = d.Parent() { // a file has no parent
		s.at = append([]int{d.Index()}, s.at...)
	}
	return s, nil
}

// protoText makes the schema of a registry: the text of a .proto file, or its descriptor in base64.
func protoText(schema registry.Schema, paths []path) (*protoSchema, error) {
	file, err := protoFile(schema)
	if err != nil {
		return nil, err
	}
	s := &protoSchema{plans: map[string]*protoPlan{}}
	var add func(of protoreflect.MessageDescriptors, at []int)
	add = func(of protoreflect.MessageDescriptors, at []int) {
		for i := range of.Len() {
			if m := of.Get(i); !m.IsMapEntry() {
				here := append(slices.Clone(at), i)
				s.plans[protoPath(here)] = newProtoPlan(m, paths)
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

// protoPath writes where a message is in its file.
func protoPath(at []int) string { return strings.Trim(fmt.Sprint(at), "[]") }

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
