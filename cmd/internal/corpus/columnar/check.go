package columnar

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"
)

const (
	maxFooter = 256 << 20
	mostDepth = 64 // of structs and lists in metadata
	// mostElements bounds the elements of the schema, each of which takes some 200 bytes: the library takes 65,534 columns,
	// and each may be in two groups of its own.
	mostElements = 3 << 16
)

// readFooter returns a file's metadata after checkFooter.
func readFooter(in io.ReaderAt, size int64) ([]byte, error) {
	var tail [8]byte
	if size < int64(len(tail))+4 {
		return nil, damaged("it has only %d bytes", size)
	}
	if _, err := in.ReadAt(tail[:], size-int64(len(tail))); err != nil {
		return nil, fmt.Errorf("read its end: %w", err)
	}
	length := int64(binary.LittleEndian.Uint32(tail[:]))
	switch magic := string(tail[4:]); {
	case magic == "PARE":
		return nil, errors.New("it is encrypted: write it without")
	case magic != "PAR1":
		return nil, damaged("it does not end as a Parquet file: it was cut off, or is still being written")
	case length > size-int64(len(tail))-4:
		return nil, damaged("its metadata would have %d bytes, the file has %d", length, size)
	case length > maxFooter:
		return nil, fmt.Errorf("its metadata has %d bytes, the limit is %d", length, maxFooter)
	}
	footer := make([]byte, length)
	if _, err := in.ReadAt(footer, size-int64(len(tail))-length); err != nil {
		return nil, fmt.Errorf("read its metadata: %w", err)
	}
	return checkFooter(footer)
}

// part is a kind of struct in the metadata.
type part uint8

const (
	partOther part = iota
	partFile
	partElement // of the schema
	partGroup
	partChunk
	partColumn
	partNote // a key and a value
)

// below returns what the structs are in a field of a struct (parquet.thrift), and how few bytes one of them has.
func (p part) below(field int64) (below part, least int) {
	switch {
	case p == partFile && field == 2:
		return partElement, 1
	case p == partFile && field == 4:
		return partGroup, 7
	case p == partGroup && field == 1:
		return partChunk, 16
	case p == partChunk && field == 3:
		return partColumn, 1
	case p == partFile && field == 5, p == partColumn && field == 8:
		return partNote, 1
	}
	return partOther, 1
}

// checker goes through metadata in the compact protocol of Thrift.
type checker struct {
	all, rest []byte
	without   []note // those that have no value
}

// note is where a struct ends, and the number of its last field.
type note struct {
	end  int
	last int64
}

// checkFooter returns an error if anything would be larger than what is left of the data, and otherwise the metadata, in
// which each key has a value: the library needs one, and the format does not.
func checkFooter(footer []byte) ([]byte, error) {
	c := checker{all: footer, rest: footer}
	if err := c.checkStruct(partFile, 0); err != nil {
		return nil, err
	}
	valued, from := make([]byte, 0, len(footer)+2*len(c.without)), 0
	for _, n := range c.without {
		valued = append(valued, footer[from:n.end]...)
		valued = append(valued, byte((noteValue-n.last)<<4)|byte(thrift.BINARY), 0)
		from = n.end
	}
	return append(valued, footer[from:]...), nil
}

// noteValue is the number of the field with the value.
const noteValue = 2

func (c *checker) checkStruct(of part, depth int) error {
	if depth > mostDepth {
		return damaged("its metadata is nested too deep")
	}
	field, valued := int64(0), false
	for {
		at := len(c.all) - len(c.rest)
		head, err := c.next()
		if err != nil {
			return err
		}
		if head == 0 {
			if of == partNote && !valued && field < noteValue {
				c.without = append(c.without, note{at, field})
			}
			return nil
		}
		if field += int64(head >> 4); head>>4 == 0 { // the field's number follows
			n, err := c.varint()
			if err != nil {
				return err
			}
			field = int64(n>>1) ^ -int64(n&1) // zigzag
		}
		valued = valued || field == noteValue
		kind := thrift.Type(head & 15)
		if kind == thrift.TRUE || kind == thrift.FALSE { // the value itself
			continue
		}
		below, least := of.below(field)
		if err := c.checkValue(kind, below, least, depth); err != nil {
			return err
		}
	}
}

func (c *checker) checkValue(kind thrift.Type, below part, least, depth int) error {
	switch kind {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		_, err := c.next()
		return err
	case thrift.I16, thrift.I32, thrift.I64:
		_, err := c.varint()
		return err
	case thrift.DOUBLE:
		return c.skip(8)
	case thrift.BINARY:
		n, err := c.varint()
		if err != nil {
			return err
		}
		return c.skip(n)
	case thrift.LIST, thrift.SET:
		return c.checkList(below, least, depth)
	case thrift.STRUCT:
		return c.checkStruct(below, depth+1)
	case thrift.STOP, thrift.MAP, thrift.UUID: // Parquet has none
	}
	return damaged("its metadata has a value of type %d", kind)
}

func (c *checker) checkList(below part, least, depth int) error {
	if depth > mostDepth { // of lists in lists
		return damaged("its metadata is nested too deep")
	}
	head, err := c.next()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = c.varint(); err != nil {
			return err
		}
	}
	if n > uint64(len(c.rest)/least) {
		return damaged("its metadata has a list of %d, and %d bytes for it", n, len(c.rest))
	}
	if below == partElement && n > mostElements {
		return fmt.Errorf("its schema has %d elements, the limit is %d", n, mostElements)
	}
	for range n {
		if err := c.checkValue(thrift.Type(head&15), below, 1, depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) next() (byte, error) {
	if len(c.rest) == 0 {
		return 0, damaged("its metadata ends early")
	}
	b := c.rest[0]
	c.rest = c.rest[1:]
	return b, nil
}

func (c *checker) varint() (uint64, error) {
	v, n := binary.Uvarint(c.rest)
	if n <= 0 {
		return 0, damaged("its metadata ends early")
	}
	c.rest = c.rest[n:]
	return v, nil
}

func (c *checker) skip(n uint64) error {
	if n > uint64(len(c.rest)) {
		return damaged("its metadata has a value of %d bytes, and %d are left", n, len(c.rest))
	}
	c.rest = c.rest[n:]
	return nil
}

// checkSchema returns an error if the columns of the groups are not those of the schema: the library makes memory for as
// many as one would be, and believes the numbers of children and the lengths of values.
func checkSchema(meta *format.FileMetaData) error {
	var open []int32 // children to come, by depth
	leaves := 0
	for i := range meta.Schema {
		e := &meta.Schema[i]
		for len(open) > 0 && open[len(open)-1] == 0 {
			open = open[:len(open)-1]
		}
		switch {
		case i > 0 && len(open) == 0, e.NumChildren.V < 0, len(open) > mostDepth:
			return damaged("its schema is no tree, or nested more than %d deep (%s)", mostDepth, e.Name)
		case e.Type.Valid && e.Type.V == format.FixedLenByteArray && e.TypeLength.V <= 0:
			return damaged("the values of column %s have a fixed length of %d", e.Name, e.TypeLength.V)
		case e.Type.Valid && e.NumChildren.V > 0:
			return damaged("column %s has %d columns, and values itself", e.Name, e.NumChildren.V)
		case e.Type.Valid:
			leaves++
		}
		if len(open) > 0 {
			open[len(open)-1]--
		}
		open = append(open, e.NumChildren.V)
	}
	for i := range meta.RowGroups {
		if n := len(meta.RowGroups[i].Columns); n != leaves {
			return damaged("row group %d has %d columns, the schema %d", i+1, n, leaves)
		}
	}
	return nil
}
