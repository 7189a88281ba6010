package document

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/unecho/unecho/sink"
)

// label gives the document its id and its scope. found are the values of the fields from which they are read.
func (r *Reader) label(in *Input, c *composer, doc *Document, found []value) (bad *Rejection) {
	if doc.ID, bad = r.idOf(in, c, found[:r.idFields]); bad != nil {
		return bad
	}
	if !doc.Empty {
		doc.Scope, bad = r.scopeOf(in, c, found[r.idFields:])
	}
	doc.Buffer = c.buf
	return bad
}

// idOf returns the id. If a part of it is missing, there is none.
func (r *Reader) idOf(in *Input, c *composer, found []value) ([]byte, *Rejection) {
	switch r.id.kind {
	case selectNothing:
		return nil, nil
	case selectKey:
		return in.Key, nil
	case selectHeader:
		id, _ := sink.LastHeader(in.Headers, r.id.header)
		return id, nil
	case selectPartition, selectTopic, selectField, selectTemplate:
	}
	start := len(c.buf)
	missing, bad := c.pick("id", &r.id, in, found)
	if missing != nil || bad != nil {
		c.buf = c.buf[:start]
		return nil, bad
	}
	return c.buf[start:len(c.buf):len(c.buf)], nil // it stays as it is where c.buf moves on
}

// scopeOf hashes the scope.
func (r *Reader) scopeOf(in *Input, c *composer, found []value) (scope uint64, bad *Rejection) {
	start := len(c.buf)
	switch r.scope.kind {
	case selectNothing:
		return 0, nil
	case selectPartition:
		c.buf = binary.LittleEndian.AppendUint32(c.buf, uint32(in.Partition))
	case selectKey, selectTopic, selectHeader, selectField, selectTemplate:
		missing, bad := c.pick("scope", &r.scope, in, found)
		if bad != nil {
			return 0, bad
		}
		if missing != nil {
			return 0, reject(sink.MissingField, "no %s, from which the scope is read", missing)
		}
	}
	scope, c.buf = hashScope(r.scope.kind, c.buf[start:], c.buf)
	c.buf = c.buf[:start]
	return scope, nil
}

// pick appends what a selector picks. found are the values of its fields; without any they are absent. missing is what
// the record does not have, if there is such a thing.
func (c *composer) pick(what string, s *selector, in *Input, found []value) (missing *selector, bad *Rejection) {
	switch s.kind {
	case selectKey:
		if in.Key == nil {
			return s, nil
		}
		c.buf = append(c.buf, in.Key...)
	case selectHeader:
		name, there := sink.LastHeader(in.Headers, s.header)
		if !there {
			return s, nil
		}
		c.buf = append(c.buf, name...)
	case selectTopic:
		c.buf = append(c.buf, in.Topic...)
	case selectPartition:
		c.buf = strconv.AppendInt(c.buf, int64(in.Partition), 10)
	case selectField:
		if len(found) == 0 {
			return s, nil
		}
		if there, bad := c.name(what, s.field, found[0]); !there {
			return s, bad
		}
	case selectTemplate:
		return c.fill(what, s, in, found)
	case selectNothing:
	}
	return nil, nil
}

// fill appends what a template becomes. Two records that differ in a part differ in the whole: a part ends at the first
// character of what stands behind it, and where a part itself has that character, it has a backslash before it.
func (c *composer) fill(what string, s *selector, in *Input, found []value) (missing *selector, bad *Rejection) {
	for i := range s.parts {
		p := &s.parts[i]
		c.buf = append(c.buf, p.before...)
		from := len(c.buf)
		if missing, bad = c.pick(what, &p.selector, in, found); missing != nil || bad != nil {
			return missing, bad
		}
		if s.full && len(c.buf) == from {
			return &p.selector, nil
		}
		c.escape(from, s.escaped)
		if p.kind == selectField && len(found) > 0 {
			found = found[1:]
		}
	}
	c.buf = append(c.buf, s.end...)
	return nil, nil
}

// escape puts a backslash before each of some characters that stand in the buffer from a place on.
func (c *composer) escape(from int, chars string) {
	if chars == "" {
		return
	}
	more := 0
	for _, b := range c.buf[from:] {
		if strings.IndexByte(chars, b) >= 0 {
			more++
		}
	}
	if more == 0 {
		return
	}
	end := len(c.buf)
	c.buf = slices.Grow(c.buf, more)[:end+more]
	for read, write := end-1, end+more-1; read < write; read-- {
		b := c.buf[read]
		c.buf[write] = b
		write--
		if strings.IndexByte(chars, b) >= 0 {
			c.buf[write] = '\\'
			write--
		}
	}
}

// Scope returns the scope of a topic's document whose name is given from outside, as a record of that name has it. A
// partition's name is its number, and that of a template is what it becomes. Where documents have scopes a name is needed, and
// where they have none it is refused: ErrScope. Where sources differ in what their scopes are, the topic is needed too.
func (r *Reader) Scope(topic, name string) (uint64, error) {
	if topic == "" && r.by != nil && slices.ContainsFunc(r.by.readers, func(o *Reader) bool { return o.scope.kind != r.scope.kind }) {
		return 0, fmt.Errorf("%w: name the topic; the scopes of several sources are not alike (sources.scope)", ErrScope)
	}
	r = r.reads(topic)
	switch {
	case r.scope.kind == selectNothing && name == "":
		return 0, nil
	case r.scope.kind == selectNothing:
		return 0, fmt.Errorf("%w: documents have no scope here, because sources.scope is not set", ErrScope)
	case name == "":
		return 0, fmt.Errorf("%w: name the scope; documents are compared within one (sources.scope)", ErrScope)
	case r.scope.kind == selectPartition:
		n, err := strconv.ParseInt(name, 10, 32)
		if err != nil || n < 0 {
			return 0, fmt.Errorf("%w: %q is no number of a partition, and those are the scopes here", ErrScope, name)
		}
		number := binary.LittleEndian.AppendUint32(nil, uint32(n))
		scope, _ := hashScope(selectPartition, number, nil)
		return scope, nil
	}
	scope, _ := hashScope(r.scope.kind, []byte(name), nil)
	return scope, nil
}
