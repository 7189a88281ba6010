package columnar

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding/thrift"
	"github.com/parquet-go/parquet-go/format"

	"github.com/unecho/unecho/consumer/document"
)

// Wanted are the columns that rows have, named as document.ParsePath reads it: a dot goes into a struct.
type Wanted struct {
	Columns []string
	Texts   []string // of them, those whose bytes are text, whatever their type
	All     bool     // every column
}

// Rows reads the rows of a file one after another: column by column, of each a page at a time.
type Rows struct {
	in      io.ReaderAt
	size    int64
	meta    format.FileMetaData
	file    *parquet.File // of its schema
	columns []*cursor     // by leaf; nil if it is not wanted
	root    *node
	group   int   // of the rows
	left    int64 // rows of the group
	read    int64
	spread  spread
	ahead   bool // the row was neither read nor passed over
	begun   int  // where the row begins in what is appended to
}

// Open opens a file of this size.
func Open(in io.ReaderAt, size int64, wanted Wanted) (*Rows, error) {
	footer, err := readFooter(in, size)
	if err != nil {
		return nil, err
	}
	r := &Rows{in: in, size: size, group: -1}
	return r, guard("read its metadata", func() error {
		if err := unmarshal(footer, &r.meta); err != nil {
			return err
		}
		if r.file, err = openMetadata(shellOf(&r.meta)); err != nil {
			return err
		}
		r.root, r.columns = newTree(r.file.Root(), r.meta.Schema, wanted)
		return nil
	})
}

// unmarshal reads metadata, and checks the schema in it.
func unmarshal(footer []byte, meta *format.FileMetaData) error {
	var protocol thrift.CompactProtocol
	return errors.Join(thrift.Unmarshal(&protocol, footer, meta), checkSchema(meta))
}

// shellOf returns what the library sees of a file whose rows are read: its schema, and one row group, in which no column is
// compressed or ends, since pages come from unpackers.
func shellOf(meta *format.FileMetaData) *format.FileMetaData {
	group := format.RowGroup{}
	for i := range meta.Schema {
		if meta.Schema[i].Type.Valid {
			of := format.ColumnMetaData{Type: meta.Schema[i].Type.V, Codec: format.Uncompressed, TotalCompressedSize: math.MaxInt64 >> 1}
			group.Columns = append(group.Columns, format.ColumnChunk{MetaData: of})
		}
	}
	return &format.FileMetaData{Version: 1, Schema: meta.Schema, RowGroups: []format.RowGroup{group}}
}

// openMetadata opens a file that has nothing but metadata.
func openMetadata(meta *format.FileMetaData) (*parquet.File, error) {
	var protocol thrift.CompactProtocol
	footer, err := thrift.Marshal(&protocol, meta)
	if err != nil {
		return nil, err
	}
	const magic = "PAR1"
	data := append([]byte(magic), footer...)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(footer))) // it was read of a file
	data = append(data, magic...)
	return parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
}

// Append appends the next row to dst as a JSON object, and returns io.EOF behind the last one.
func (r *Rows) Append(dst []byte) (row []byte, err error) {
	if err := r.forward(); err != nil {
		return dst, err
	}
	r.ahead, r.begun, row = false, len(dst), dst
	err = guard(r.where(), func() error {
		row, err = r.append(dst, r.root)
		if errors.Is(err, ErrTooLarge) {
			return errors.Join(err, r.skipRow())
		}
		return err
	})
	if err != nil {
		return dst, err
	}
	return row, nil
}

// skipRow goes on behind a row of which some was read.
func (r *Rows) skipRow() error {
	for _, c := range r.columns {
		for c != nil {
			v, ok, err := c.peek()
			if err != nil {
				return err
			}
			if !ok || v.RepetitionLevel() == 0 && c.rows == r.read {
				break
			}
			if _, err := c.take(); err != nil {
				return err
			}
		}
	}
	return nil
}

// Names returns the names of the columns.
func (r *Rows) Names() []string { return namesOf(r.file) }

// Has says whether there is a column, or something in one, by its path.
func (r *Rows) Has(column string) bool {
	found, _ := newTree(r.file.Root(), r.meta.Schema, Wanted{Columns: []string{column}})
	return len(found.children) > 0
}

// Integers says whether a column that there is, by its path, has integers, one at most in a row, that 64 bits hold with their sign,
// or others. One of the type Null has neither.
func (r *Rows) Integers(column string) (integers, others bool) {
	names, err := document.ParsePath(column)
	at := r.file.Root()
	for _, name := range names {
		if at = at.Column(name); at == nil || at.Repeated() {
			return false, true
		}
	}
	if err != nil || !at.Leaf() {
		return false, true
	}
	integers = isInteger(at.Type())
	return integers, !integers && !isNull(at.Type())
}

// Share returns how many rows were read, and how many there are.
func (r *Rows) Share() (read, all int64) { return r.read, r.meta.NumRows }

// forward goes on to the next row, and passes over the one before it, unless that was read.
func (r *Rows) forward() error {
	if r.ahead {
		if err := guard(r.where(), r.skipRow); err != nil {
			return err
		}
	}
	r.ahead = false
	for r.left == 0 {
		if err := guard(r.where(), r.ended); err != nil {
			return err
		}
		if r.group+1 == len(r.meta.RowGroups) {
			return io.EOF
		}
		if err := r.open(); err != nil {
			return err
		}
	}
	r.left--
	r.read++
	r.ahead = true
	return nil
}

// ended returns an error if the row group that was read has more rows than it says: they would be lost. What is behind its
// values and is none is left alone.
func (r *Rows) ended() error {
	for _, c := range r.columns {
		if c == nil || c.pages == nil {
			continue
		}
		if _, more, err := c.peek(); err == nil && more {
			return damaged("column %s has more values than the row group has rows", c.name)
		}
	}
	return nil
}

func (r *Rows) where() string { return fmt.Sprintf("row group %d", r.group+1) }

// open begins the next row group.
func (r *Rows) open() error {
	r.group++
	return guard(r.where(), func() error {
		if err := r.Close(); err != nil {
			return err
		}
		group := &r.meta.RowGroups[r.group]
		if r.left = group.NumRows; r.left < 0 {
			return damaged("it has %d rows", r.left)
		}
		for i, c := range r.columns {
			if c == nil {
				continue
			}
			if err := c.open(r, &group.Columns[i].MetaData, i); err != nil {
				return fmt.Errorf("column %s: %w", c.name, err)
			}
		}
		return nil
	})
}

// Close releases the memory of the file, which it does not close.
func (r *Rows) Close() error {
	var all []error
	for _, c := range r.columns {
		if c != nil {
			all = append(all, c.close())
		}
	}
	return errors.Join(all...)
}

// cursor is a place in the values of a column.
type cursor struct {
	name     string
	shape    shape
	unpacked *unpacker
	pages    parquet.Pages
	page     parquet.Page
	values   parquet.ValueReader
	buffer   [64]parquet.Value
	n, at    int
	rows     int64 // that were begun
}

// open begins with the column's values in a row group.
func (c *cursor) open(r *Rows, packed *format.ColumnMetaData, leaf int) error {
	of, ok := r.file.RowGroups()[0].ColumnChunks()[leaf].(*parquet.FileColumnChunk)
	if !ok {
		return errors.New("it is no column of a file: this is a bug")
	}
	unpacked, err := newUnpacker(r.in, r.size, packed)
	if err != nil {
		return err
	}
	unpacked.shape, unpacked.spread, unpacked.always = c.shape, &r.spread, alwaysPacked(r.meta.CreatedBy)
	c.unpacked, c.pages = unpacked, of.PagesFrom(unpacked)
	return nil
}

// peek returns the next value; ok is false behind the last one.
func (c *cursor) peek() (v parquet.Value, ok bool, err error) {
	for c.at == c.n {
		if c.values == nil {
			c.release()
			page, err := c.pages.ReadPage()
			if errors.Is(err, io.EOF) {
				return v, false, nil
			}
			if err != nil {
				return v, false, fmt.Errorf("column %s: %w", c.name, err)
			}
			c.page, c.values = page, page.Values()
		}
		n, err := c.values.ReadValues(c.buffer[:])
		c.at, c.n = 0, n
		if errors.Is(err, io.EOF) {
			c.values = nil
		} else if err != nil {
			return v, false, fmt.Errorf("column %s: %w", c.name, err)
		}
	}
	return c.buffer[c.at], true, nil
}

// take returns the next value, and goes on behind it.
func (c *cursor) take() (parquet.Value, error) {
	v, ok, err := c.peek()
	if err == nil && !ok {
		err = damaged("column %s has fewer values than the row group has rows", c.name)
	}
	c.at++
	if v.RepetitionLevel() == 0 {
		c.rows++
	}
	return v, err
}

func (c *cursor) release() {
	if c.page != nil {
		parquet.Release(c.page)
		c.page = nil
	}
}

func (c *cursor) close() error {
	c.release()
	pages := c.pages
	c.pages, c.values, c.at, c.n = nil, nil, 0, 0
	if pages == nil {
		return nil
	}
	c.unpacked.close()
	return pages.Close()
}
