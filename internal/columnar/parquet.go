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
)

// Rows reads the rows of a file one after another.
type Rows interface {
	// Append appends the next row to dst as a JSON object, and returns io.EOF behind the last one.
	Append(dst []byte) ([]byte, error)
	// Names are those of the columns; Has says whether there is one, or something in one, by its path.
	Names() []string
	Has(column string) bool
	// Share is how many rows were read, and how many there are.
	Share() (read, all int64)
	// Close releases the memory of the file, which it does not close.
	Close() error
}

// Wanted are the columns that rows have, named as document.ParsePath reads it: a dot goes into a struct.
type Wanted struct {
	Columns []string
	Texts   []string // of them, those whose bytes are text, whatever their type
	All     bool     // every column
}

// parquetRows reads a Parquet file column by column, of each a page at a time.
type parquetRows struct {
	in      io.ReaderAt
	size    int64
	file    *parquet.File
	packed  *format.FileMetaData
	columns []*cursor // by leaf; nil if it is not wanted
	root    *node
	group   int   // of the rows
	left    int64 // rows of the group
	read    int64
	spread  spread
	ahead   bool // the row that was read last was neither copied nor passed over
	begun   int  // where the row begins in what is appended to
	next    []parquet.RowGroup
}

// OpenParquet opens a Parquet file of this size.
func OpenParquet(in io.ReaderAt, size int64, wanted Wanted) (Rows, error) {
	file, packed, err := openParquet(in, size)
	if err != nil {
		return nil, err
	}
	r := &parquetRows{in: in, size: size, file: file, packed: packed, group: -1}
	err = guard("read its schema", func() error {
		r.root, r.columns = newTree(file.Root(), wanted)
		r.next = file.RowGroups()
		return nil
	})
	return r, err
}

// openParquet opens a file after its metadata was checked. The library sees of it the metadata alone, in which no column
// is compressed: pages come from unpackers. packed are the columns as they are.
func openParquet(in io.ReaderAt, size int64) (file *parquet.File, packed *format.FileMetaData, err error) {
	footer, err := readFooter(in, size)
	if err != nil {
		return nil, nil, err
	}
	packed = &format.FileMetaData{}
	err = guard("read its metadata", func() error {
		var protocol thrift.CompactProtocol
		if err := errors.Join(thrift.Unmarshal(&protocol, footer, packed), checkSchema(packed)); err != nil {
			return err
		}
		if file, err = openFooter(footer); err != nil {
			return err
		}
		meta := file.Metadata()
		for i := range meta.RowGroups {
			for j := range meta.RowGroups[i].Columns {
				c := &meta.RowGroups[i].Columns[j].MetaData
				c.Codec, c.DictionaryPageOffset, c.DataPageOffset, c.TotalCompressedSize = format.Uncompressed, 0, 0, math.MaxInt64>>1
			}
		}
		if footer, err = thrift.Marshal(&protocol, meta); err != nil {
			return err
		}
		file, err = openFooter(footer)
		return err
	})
	return file, packed, err
}

// openFooter opens a file that has no columns, but the metadata of some.
func openFooter(footer []byte) (*parquet.File, error) {
	const magic = "PAR1"
	data := append([]byte(magic), footer...)
	data = binary.LittleEndian.AppendUint32(data, uint32(len(footer))) // it was read of a file
	data = append(data, magic...)
	return parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipBloomFilters(true), parquet.SkipPageIndex(true))
}

// Append implements Rows.
func (r *parquetRows) Append(dst []byte) (row []byte, err error) {
	if err := r.nextGroup(); err != nil {
		return dst, err
	}
	r.left--
	r.read++
	r.begun, row = len(dst), dst
	err = guard(r.where(), func() error {
		row, err = r.append(dst, r.root)
		if errors.Is(err, ErrTooLarge) {
			return errors.Join(err, r.passRow())
		}
		return err
	})
	if err != nil {
		return dst, err
	}
	return row, nil
}

// passRow goes on behind a row of which some was read.
func (r *parquetRows) passRow() error {
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

// Names implements Rows.
func (r *parquetRows) Names() []string { return namesOf(r.file) }

// Has implements Rows.
func (r *parquetRows) Has(column string) bool {
	found, _ := newTree(r.file.Root(), Wanted{Columns: []string{column}})
	return len(found.children) > 0
}

// Share implements Rows.
func (r *parquetRows) Share() (read, all int64) { return r.read, r.file.NumRows() }

// nextGroup opens the next row group if there is no row left in this one.
func (r *parquetRows) nextGroup() error {
	for r.left == 0 {
		if len(r.next) == 0 {
			return io.EOF
		}
		if err := r.open(); err != nil {
			return err
		}
	}
	return nil
}

func (r *parquetRows) where() string { return fmt.Sprintf("row group %d", r.group+1) }

// open begins the next row group.
func (r *parquetRows) open() error {
	r.group++
	return guard(r.where(), func() error {
		if err := r.Close(); err != nil {
			return err
		}
		group := r.next[0]
		r.next, r.left = r.next[1:], group.NumRows()
		chunks := group.ColumnChunks()
		if len(chunks) != len(r.columns) || r.left < 0 {
			return damaged("it has %d rows of %d columns, the schema has %d columns", r.left, len(chunks), len(r.columns))
		}
		for i, c := range r.columns {
			if c == nil {
				continue
			}
			if err := c.open(r, &r.packed.RowGroups[r.group].Columns[i].MetaData, chunks[i]); err != nil {
				return fmt.Errorf("column %s: %w", c.name, err)
			}
		}
		return nil
	})
}

// Close implements Rows.
func (r *parquetRows) Close() error {
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
func (c *cursor) open(r *parquetRows, packed *format.ColumnMetaData, chunk parquet.ColumnChunk) error {
	of, ok := chunk.(*parquet.FileColumnChunk)
	if !ok {
		return errors.New("it is no column of a file: this is a bug")
	}
	unpacked, err := newUnpacker(r.in, r.size, packed)
	if err != nil {
		return err
	}
	unpacked.shape, unpacked.spread, unpacked.always = c.shape, &r.spread, alwaysPacked(r.packed.CreatedBy)
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
