package document

import (
	"fmt"
	"slices"
	"strings"

	"github.com/twmb/avro"

	"github.com/unecho/unecho/consumer/document/registry"
)

// avroSchema is a schema as it is walked, and the dialect of its values. It does not change.
type avroSchema struct {
	types []avroType // the first one is that of keys
	named map[string]int32
	root  int32
}

// avroType is a type of a schema. Types that occur at several places, or in themselves, are one.
type avroType struct {
	name    string
	kind    kind
	empty   bool       // values take no bytes
	size    int        // of values whose size is always the same
	symbols []string   // of an enum
	parts   []int32    // types of a record's fields, a union's branches, an array's elements or a map's values
	names   [][][]byte // of a record: the name of each field, and its aliases
}

// avroKind returns the kind of a type that has no name of its own, and how many bytes each value has if that never differs.
func avroKind(name string) (k kind, size int, known bool) {
	switch name {
	case "null":
		k = isNull
	case "boolean":
		k, size = isBool, 1
	case "float":
		k, size = isFloat, 4
	case "double":
		k, size = isFloat, 8
	case "int", "long":
		k = isSigned
	case "string", "enum":
		k = isString
	case "bytes", "fixed":
		k = isBytes
	case "array":
		k = isArray
	case "map", "record":
		k = isObject
	}
	return k, size, k != absent || name == "union"
}

// compileAvro compiles a schema for the paths.
//
// A path that leads through no field's name may lead through the alias of a field: who renamed the field has said that
// it was called so before. Only the schema with which a value was written has a say, so that a value means the same
// for ever.
func compileAvro(schema registry.Schema, paths []path) (*avroSchema, error) {
	var cache avro.SchemaCache
	lax := avro.WithLaxNames(func(string) error { return nil }) // names are only compared
	s := &avroSchema{types: []avroType{{name: "string", kind: isString}}, named: map[string]int32{}}
	for _, t := range append(slices.Clone(schema.Before), registry.Reference{Text: schema.Text}) {
		parsed, err := cache.Parse(t.Text, lax)
		if err != nil {
			return nil, fmt.Errorf("read the schema: %w", err)
		}
		s.root = s.add(parsed.Root(), "")
	}
	for name, i := range s.named {
		if s.types[i].name == "" {
			return nil, fmt.Errorf("no type is called %s", name)
		}
	}
	known := make([]bool, len(s.types))
	for i := range s.types {
		s.findEmpty(int32(i), known)
	}
	for i := range s.types {
		s.types[i].leaveOut(s.types, paths)
	}
	return s, nil
}

// add returns the type that a node has in a namespace.
func (s *avroSchema) add(n *avro.SchemaNode, space string) int32 {
	name := n.Type
	if name == "error" {
		name = "record"
	}
	k, size, known := avroKind(name)
	if !known {
		return s.refer(name, space)
	}
	var at int32
	if name == "record" || name == "enum" || name == "fixed" {
		full := n.Name
		if n.Namespace != "" && !strings.Contains(full, ".") {
			full = n.Namespace + "." + full
		}
		at, space = s.call(full), full[:max(0, strings.LastIndexByte(full, '.'))]
	} else {
		at = s.another()
	}
	t := avroType{name: name, kind: k, size: size, symbols: n.Symbols}
	if name == "fixed" {
		t.size = n.Size
	}
	s.types[at] = t // a record may hold itself, so it is known before its fields are
	part := func(n *avro.SchemaNode) { t.parts = append(t.parts, s.add(n, space)) }
	for i := range n.Branches {
		part(&n.Branches[i])
	}
	switch name {
	case "record":
		for i := range n.Fields {
			part(&n.Fields[i].Type)
			names := [][]byte{[]byte(n.Fields[i].Name)}
			for _, alias := range n.Fields[i].Aliases {
				names = append(names, []byte(alias))
			}
			t.names = append(t.names, names)
		}
	case "array":
		part(n.Items)
	case "map":
		part(n.Values)
	}
	s.types[at] = t
	return at
}

func (s *avroSchema) another() int32 {
	s.types = append(s.types, avroType{})
	return int32(len(s.types) - 1)
}

// refer returns the type of a name as it is written in a namespace.
func (s *avroSchema) refer(name, space string) int32 {
	if space != "" && !strings.Contains(name, ".") {
		here := space + "." + name
		_, alone := s.named[name]
		if _, there := s.named[here]; there || !alone {
			name = here
		}
	}
	return s.call(name)
}

// call returns the type of a full name.
func (s *avroSchema) call(name string) int32 {
	at, known := s.named[name]
	if !known {
		at = s.another()
		s.named[name] = at
	}
	return at
}

// findEmpty finds whether values of a type take no bytes. A record that directly holds itself has no end.
func (s *avroSchema) findEmpty(at int32, known []bool) bool {
	t := &s.types[at]
	if known[at] {
		return t.empty
	}
	known[at] = true
	t.empty = t.name == "null" || t.name == "fixed" && t.size == 0 || t.name == "record" &&
		!slices.ContainsFunc(t.parts, func(part int32) bool { return !s.findEmpty(part, known) })
	return t.empty
}

// leaveOut leaves out the fields of a record that take no bytes, and through which no path can lead. A schema may have any
// number of them.
func (t *avroType) leaveOut(types []avroType, paths []path) {
	if t.name != "record" {
		return
	}
	named := func(name []byte) bool {
		return slices.ContainsFunc(paths, func(p path) bool { return slices.Contains(p, string(name)) })
	}
	parts, names := t.parts, t.names
	t.parts, t.names = nil, nil
	for i, part := range parts {
		if !types[part].empty || slices.ContainsFunc(names[i], named) {
			t.parts, t.names = append(t.parts, part), append(t.names, names[i])
		}
	}
}
