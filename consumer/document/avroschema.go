package document

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/twmb/avro"

	"github.com/unecho/unecho/consumer/document/registry"
)

// avroOp is how a type of Avro is written.
type avroOp uint8

const (
	avroUndefined avroOp = iota
	avroNull
	avroBoolean
	avroInt // and long
	avroFloat
	avroDouble
	avroBytes
	avroString
	avroFixed
	avroEnum
	avroArray
	avroMap
	avroRecord
	avroUnion
)

// avroNode is a type of a schema. Types that occur at several places, or in themselves, are one node.
type avroNode struct {
	op       avroOp
	size     int64      // how many bytes each value takes; variable if that differs
	fields   [][]string // of a record: the name of each field, and its aliases
	types    []int32    // of a record's fields, a union's branches, an array's elements or a map's values
	symbols  []string
	skipping []avroStep // of a record of variable size: how to skip it
}

const (
	variable  = -1
	unsized   = -2 // not known yet
	atLeast   = 1 << 40
	noNode    = -1
	mostNodes = 1 << 20
)

// avroStep is a part of the way through a record: some bytes, then a type to be skipped, or one to look into.
type avroStep struct {
	bytes int64
	node  int32 // noNode: there is none
	plan  *avroPlan
	want  uint64 // paths that lead through the field of plan
}

// avroPlan is how a value is walked at a place where paths are followed.
type avroPlan struct {
	node     int32
	steps    []avroStep  // of a record
	keys     []avroKey   // of a map
	branches []*avroPlan // of a union
	list     int32       // of an array: where the plan of its elements is
}

// avroKey is a key of a map through which paths lead.
type avroKey struct {
	name string
	plan *avroPlan
	want uint64
}

// avroSchema is a schema as it is walked. It does not change.
type avroSchema struct {
	nodes []avroNode
	root  *avroPlan
	lists []*avroPlan // of the elements of arrays
}

// compileAvro compiles a schema for the paths, of which the first so many are those of texts.
//
// A path that leads through no field's name may lead through the alias of a field: who renamed the field has said that
// it was called so before. Only the schema with which a value was written has a say, so that a value means the same
// for ever.
func compileAvro(schema registry.Schema, paths []path, texts int) (*avroSchema, error) {
	var cache avro.SchemaCache
	lax := avro.WithLaxNames(func(string) error { return nil }) // names are only compared
	b := avroBuilder{named: map[string]int32{}}
	for _, t := range append(slices.Clone(schema.Before), registry.Reference{Text: schema.Text}) {
		parsed, err := cache.Parse(t.Text, lax)
		if err != nil {
			return nil, fmt.Errorf("read the schema: %w", err)
		}
		if b.root, err = b.add(parsed.Root(), ""); err != nil {
			return nil, err
		}
	}
	for name, i := range b.named {
		if b.nodes[i].op == avroUndefined {
			return nil, fmt.Errorf("no type is called %s", name)
		}
	}
	s := &avroSchema{nodes: b.nodes}
	for i := range s.nodes {
		s.sizeOf(int32(i))
	}
	for i := range s.nodes {
		if n := &s.nodes[i]; n.op == avroRecord {
			n.skipping = s.steps(n, func(int) (*avroPlan, uint64) { return nil, 0 })
		}
	}
	p := avroPlanner{avroSchema: s, paths: paths, texts: 1<<texts - 1, plans: map[avroPlace]*avroPlan{}}
	s.root = p.plan(avroPlace{b.root, 0, 1<<len(paths) - 1})
	return s, nil
}

// avroBuilder makes the nodes of a schema.
type avroBuilder struct {
	nodes []avroNode
	named map[string]int32
	root  int32
}

var errLargeSchema = errors.New("the schema has too many types")

// add returns the node of a type that stands in a namespace.
func (b *avroBuilder) add(n *avro.SchemaNode, space string) (int32, error) {
	op, known := avroOpOf(n.Type)
	if !known {
		return b.refer(n.Type, space), nil
	}
	var at int32
	if op == avroRecord || op == avroEnum || op == avroFixed {
		full := fullName(n)
		at, space = b.call(full), full[:max(0, strings.LastIndexByte(full, '.'))]
	} else {
		at = b.node()
	}
	if len(b.nodes) > mostNodes {
		return 0, errLargeSchema
	}
	node := avroNode{op: op, size: unsized, symbols: n.Symbols}
	if op == avroFixed {
		node.size = int64(n.Size)
	}
	b.nodes[at] = node // a record may hold itself, so it is known before its fields are
	var parts []*avro.SchemaNode
	for i := range n.Branches {
		parts = append(parts, &n.Branches[i])
	}
	for i := range n.Fields {
		f := &n.Fields[i]
		node.fields = append(node.fields, append([]string{f.Name}, f.Aliases...))
		parts = append(parts, &f.Type)
	}
	if op == avroArray {
		parts = append(parts, n.Items)
	}
	if op == avroMap {
		parts = append(parts, n.Values)
	}
	for _, part := range parts {
		i, err := b.add(part, space)
		if err != nil {
			return 0, err
		}
		node.types = append(node.types, i)
	}
	b.nodes[at] = node
	return at, nil
}

func (b *avroBuilder) node() int32 {
	b.nodes = append(b.nodes, avroNode{})
	return int32(len(b.nodes) - 1)
}

// refer returns the node of a name as it is written in a namespace.
func (b *avroBuilder) refer(name, space string) int32 {
	if space != "" && !strings.Contains(name, ".") {
		if _, alone := b.named[name]; !alone {
			name = space + "." + name
		} else if _, here := b.named[space+"."+name]; here {
			name = space + "." + name
		}
	}
	return b.call(name)
}

// call returns the node of a full name.
func (b *avroBuilder) call(name string) int32 {
	at, known := b.named[name]
	if !known {
		at = b.node()
		b.named[name] = at
	}
	return at
}

func fullName(n *avro.SchemaNode) string {
	if n.Namespace == "" || strings.Contains(n.Name, ".") {
		return n.Name
	}
	return n.Namespace + "." + n.Name
}

func avroOpOf(name string) (op avroOp, known bool) {
	switch name {
	case "null":
		op = avroNull
	case "boolean":
		op = avroBoolean
	case "int", "long":
		op = avroInt
	case "float":
		op = avroFloat
	case "double":
		op = avroDouble
	case "bytes":
		op = avroBytes
	case "string":
		op = avroString
	case "fixed":
		op = avroFixed
	case "enum":
		op = avroEnum
	case "array":
		op = avroArray
	case "map":
		op = avroMap
	case "record", "error":
		op = avroRecord
	case "union":
		op = avroUnion
	}
	return op, op != avroUndefined
}

// sizeOf finds how many bytes each value of a type takes. A record that directly holds itself has no end, and is
// variable.
func (s *avroSchema) sizeOf(at int32) int64 {
	n := &s.nodes[at]
	if n.size != unsized {
		return n.size
	}
	n.size = variable
	switch n.op {
	case avroNull:
		n.size = 0
	case avroBoolean:
		n.size = 1
	case avroFloat:
		n.size = 4
	case avroDouble:
		n.size = 8
	case avroRecord:
		var sum int64
		for _, t := range n.types {
			size := s.sizeOf(t)
			if size == variable {
				return variable
			}
			sum = min(sum+size, atLeast) // no value has so many bytes, and a schema can name many more
		}
		n.size = sum
	case avroUndefined, avroInt, avroBytes, avroString, avroFixed, avroEnum, avroArray, avroMap, avroUnion:
	}
	return n.size
}

// steps returns the way through a record. looked returns the plan of a field into which to look, or nil.
func (s *avroSchema) steps(n *avroNode, looked func(field int) (*avroPlan, uint64)) (steps []avroStep) {
	var skipped int64
	for i, t := range n.types {
		plan, want := looked(i)
		size := s.nodes[t].size
		if plan == nil && size >= 0 {
			skipped = min(skipped+size, atLeast)
			continue
		}
		step := avroStep{bytes: skipped, node: t, plan: plan, want: want}
		if plan != nil {
			step.node = noNode
		}
		steps, skipped = append(steps, step), 0
	}
	if skipped > 0 {
		steps = append(steps, avroStep{bytes: skipped, node: noNode})
	}
	return steps
}

// avroPlace is a type at which a set of paths has arrived.
type avroPlace struct {
	node  int32
	depth int
	want  uint64
}

// avroPlanner makes the plans of a schema, one for each place. A path ends, so there are not many.
type avroPlanner struct {
	*avroSchema
	paths []path
	texts uint64 // those that may lead through arrays
	plans map[avroPlace]*avroPlan
}

func (p *avroPlanner) plan(at avroPlace) *avroPlan {
	if plan, made := p.plans[at]; made {
		return plan
	}
	plan := &avroPlan{node: at.node}
	p.plans[at] = plan
	n := &p.nodes[at.node]
	switch n.op {
	case avroUnion:
		for _, branch := range n.types {
			plan.branches = append(plan.branches, p.plan(avroPlace{branch, at.depth, at.want}))
		}
	case avroRecord:
		through := p.fieldsOf(n, at)
		plan.steps = p.steps(n, func(field int) (*avroPlan, uint64) {
			want := through[field]
			if want == 0 {
				return nil, 0
			}
			return p.plan(avroPlace{n.types[field], at.depth + 1, want}), want
		})
	case avroMap:
		plan.keys = p.keysOf(n, at)
	case avroArray:
		each := p.plan(avroPlace{n.types[0], at.depth, at.want & p.texts})
		plan.list, p.lists = int32(len(p.lists)), append(p.lists, each) // fewer than nodes and paths
	case avroUndefined, avroNull, avroBoolean, avroInt, avroFloat, avroDouble, avroBytes, avroString, avroFixed, avroEnum:
	}
	return plan
}

// fieldsOf returns the fields of a record through which paths lead.
func (p *avroPlanner) fieldsOf(n *avroNode, at avroPlace) map[int]uint64 {
	through := map[int]uint64{}
	for want := at.want; want != 0; want &= want - 1 {
		i := bits.TrailingZeros64(want)
		if len(p.paths[i]) <= at.depth {
			continue
		}
		name := p.paths[i][at.depth]
		// A schema in which a name is also another field's alias is none.
		field := slices.IndexFunc(n.fields, func(names []string) bool { return slices.Contains(names, name) })
		if field >= 0 {
			through[field] |= 1 << i
		}
	}
	return through
}

func (p *avroPlanner) keysOf(n *avroNode, at avroPlace) (keys []avroKey) {
	for want := at.want; want != 0; want &= want - 1 {
		i := bits.TrailingZeros64(want)
		if len(p.paths[i]) <= at.depth {
			continue
		}
		name := p.paths[i][at.depth]
		k := slices.IndexFunc(keys, func(k avroKey) bool { return k.name == name })
		if k < 0 {
			k, keys = len(keys), append(keys, avroKey{name: name})
		}
		keys[k].want |= 1 << i
	}
	for i := range keys {
		keys[i].plan = p.plan(avroPlace{n.types[0], at.depth + 1, keys[i].want})
	}
	return keys
}
