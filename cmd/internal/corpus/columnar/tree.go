package columnar

import (
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/unecho/unecho/consumer/document"
)

// node is a column or a group of columns that are wanted.
type node struct {
	key      []byte // its name as a key of JSON
	defined  int    // the definition level from which on it is there
	repeats  int    // the repetition level of its elements
	optional bool
	repeated bool
	through  bool // a group that stands for its only child: the parts of a list
	children []*node
	leaf     int // the column; the first one below a group
	write    func(dst []byte, v parquet.Value) []byte
}

// newTree returns the wanted part of a schema, and a place in each of its columns.
func newTree(root *parquet.Column, schema []format.SchemaElement, wanted Wanted) (*node, []*cursor) {
	t := tree{wanted: wanted, halves: halves(schema)}
	top := t.node(root, nodePath{})
	if top == nil {
		top = &node{leaf: -1}
	}
	top.repeated, top.optional, top.through = false, false, false
	return top, t.columns
}

type tree struct {
	wanted  Wanted
	halves  []bool // by leaf
	columns []*cursor
}

// nodePath is where a node stands.
type nodePath struct {
	path             []string // without the names of lists' parts
	defined, repeats int      // levels above it
	list             bool     // it is the child of a list
}

// node returns a column, or nil if nothing of it is wanted.
func (t *tree) node(c *parquet.Column, at nodePath) *node {
	n := &node{key: append(appendText(nil, []byte(c.Name())), ':'), optional: c.Optional(), repeated: c.Repeated(), leaf: -1}
	if n.optional || n.repeated {
		at.defined++
	}
	if n.repeated {
		at.repeats++
	}
	n.defined, n.repeats = at.defined, at.repeats
	if c.Leaf() {
		return t.column(n, c, at.path)
	}
	n.through = through(c, at.list)
	for _, child := range c.Columns() {
		below := nodePath{path: at.path, defined: at.defined, repeats: at.repeats, list: is[*format.ListType](c)}
		if !n.through {
			below.path = append(slices.Clip(at.path), child.Name())
		}
		if part := t.node(child, below); part != nil {
			n.children = append(n.children, part)
			if n.leaf < 0 {
				n.leaf = part.leaf
			}
		}
	}
	if len(n.children) == 0 {
		return nil
	}
	return n
}

func (t *tree) column(n *node, c *parquet.Column, path []string) *node {
	n.leaf = len(t.columns)
	if !t.wants(path) {
		t.columns = append(t.columns, nil)
		return nil
	}
	t.columns = append(t.columns, &cursor{name: strings.Join(c.Path(), "."), shape: shapeOf(c)})
	text := within(path, t.wanted.Texts)
	n.write = writerOf(c.Type(), text)
	if t.halves[n.leaf] {
		n.write = func(dst []byte, v parquet.Value) []byte { return appendFloat(dst, float16(v.ByteArray()), 32, text) }
	}
	return n
}

func (t *tree) wants(path []string) bool { return t.wanted.All || within(path, t.wanted.Columns) }

// within says whether a path is one of those named, or below one.
func within(path, named []string) bool {
	return slices.ContainsFunc(named, func(name string) bool {
		names, err := document.ParsePath(name) // nothing has a path that is none
		return err == nil && len(path) >= len(names) && slices.Equal(path[:len(names)], names)
	})
}

// through says whether a group stands for its only child: a list or a map, and within a list the group that is repeated,
// unless it is an element itself (the rules for lists of old in Parquet's LogicalTypes.md).
func through(c *parquet.Column, inList bool) bool {
	columns := c.Columns()
	switch {
	case len(columns) != 1:
		return false
	case is[*format.ListType](c) || is[*format.MapType](c):
		return columns[0].Repeated()
	}
	return inList && c.Repeated() && c.Name() != "array" && !strings.HasSuffix(c.Name(), "_tuple")
}

// is says whether a column has this logical type.
func is[T format.LogicalTypeValue](c *parquet.Column) bool {
	if c.Type() == nil || c.Type().LogicalType() == nil {
		return false
	}
	_, ok := c.Type().LogicalType().Value.(T)
	return ok
}

// append appends what is wanted of a row: a node of it, at the level where all above it is there.
func (r *Rows) append(dst []byte, n *node) ([]byte, error) {
	if len(dst)-r.begun > MaxRow {
		return dst, ErrTooLarge
	}
	if n.repeated {
		return r.appendElements(dst, n)
	}
	if n.optional {
		there, err := r.there(n)
		if err != nil {
			return dst, err
		}
		if !there {
			return append(dst, "null"...), r.skip(n)
		}
	}
	return r.appendContent(dst, n)
}

// appendElements appends the elements of a repeated node, if there are any.
func (r *Rows) appendElements(dst []byte, n *node) ([]byte, error) {
	there, err := r.there(n)
	if err != nil {
		return dst, err
	}
	if !there {
		return append(dst, "[]"...), r.skip(n)
	}
	dst = append(dst, '[')
	for more := true; more; {
		if len(dst)-r.begun > MaxRow {
			return dst, ErrTooLarge
		}
		if dst, err = r.appendContent(dst, n); err != nil {
			return dst, err
		}
		next, ok, err := r.columns[n.leaf].peek()
		if err != nil {
			return dst, err
		}
		if more = ok && next.RepetitionLevel() == n.repeats; more {
			dst = append(dst, ',')
		}
	}
	return append(dst, ']'), nil
}

// appendContent appends a node that is there, or an element of it.
func (r *Rows) appendContent(dst []byte, n *node) (_ []byte, err error) {
	if n.write != nil {
		v, err := r.columns[n.leaf].take()
		if err != nil {
			return dst, err
		}
		if v.IsNull() {
			return append(dst, "null"...), nil
		}
		if v.Kind() == parquet.ByteArray && len(dst)-r.begun+len(v.ByteArray()) > MaxRow { // as JSON it may be six times as long
			return dst, ErrTooLarge
		}
		return n.write(dst, v), nil
	}
	if n.through {
		return r.append(dst, n.children[0])
	}
	dst = append(dst, '{')
	for i, child := range n.children {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = r.append(append(dst, child.key...), child); err != nil {
			return dst, err
		}
	}
	return append(dst, '}'), nil
}

// there says whether a node is there, by the first of its columns.
func (r *Rows) there(n *node) (bool, error) {
	v, ok, err := r.columns[n.leaf].peek()
	if err != nil {
		return false, err
	}
	if !ok {
		return false, damaged("column %s has fewer values than the row group has rows", r.columns[n.leaf].name)
	}
	return v.DefinitionLevel() >= n.defined, nil
}

// skip goes on behind a node that is not there: each of its columns has a value that says so.
func (r *Rows) skip(n *node) error {
	if n.write != nil {
		_, err := r.columns[n.leaf].take()
		return err
	}
	for _, child := range n.children {
		if err := r.skip(child); err != nil {
			return err
		}
	}
	return nil
}
