package corpus

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/unecho/unecho/consumer/document"
)

// Record is a document as it is in a file. Its slices are valid until the next record.
type Record struct {
	File   string
	Number int    // 0 for a file that is one document
	Raw    []byte // the bytes in the file, with the line break if there is one; empty for a file that is too large
	Header []byte // the first line of its table; stays valid
	Text   []byte // valid UTF-8
	ID     []byte // empty means that its number, or its file, is its name
	Scope  uint64
	Bad    *document.Rejection // why it cannot be compared; Text is then empty
}

// Name returns the record's name: its id, or its number, or its file. file says that several files are read, so that a
// number alone would be ambiguous.
func (r *Record) Name(dst []byte, file bool) []byte {
	if len(r.ID) > 0 {
		return append(dst, r.ID...)
	}
	if r.Number == 0 {
		return append(dst, r.File...)
	}
	if file {
		dst = append(append(dst, r.File...), ':')
	}
	return strconv.AppendInt(dst, int64(r.Number), 10)
}

// EmptyRejection returns the rejection of a record without text, or nil if such a record is unique.
func (c *Chunk) EmptyRejection() *document.Rejection { return c.layout.reader.EmptyRejection() }

// A Parser takes records out of chunks. Each goroutine has its own.
type Parser struct {
	record Record
	buffer []byte // scratch memory of the document reader
	joined []byte // the columns of a table that are the text
	id     []byte
	file   []byte
}

// Each calls visit for each record of a chunk that is not blank, until visit returns false. An error is about the file
// as a whole: a table whose records have not as many columns as its first line, or a file that cannot be read.
func (p *Parser) Each(c *Chunk, visit func(*Record) bool) error {
	if len(c.Files) > 0 {
		return p.files(c, visit)
	}
	switch c.layout.format {
	case CSV:
		return p.table(c, visit)
	case JSON:
		return p.values(c, visit)
	}
	number := c.First
	for data := c.Data; len(data) > 0; number++ {
		end := bytes.IndexByte(data, '\n') + 1
		if end == 0 {
			end = len(data)
		}
		raw := data[:end]
		data = data[end:]
		line := bytes.TrimSuffix(bytes.TrimSuffix(raw, []byte("\n")), []byte("\r"))
		if blank(c.layout.format, line) {
			continue
		}
		p.record = Record{File: c.File, Number: number, Raw: raw, Header: c.layout.header}
		if err := p.line(c, line); err != nil {
			return err
		}
		if !visit(&p.record) {
			return nil
		}
	}
	return nil
}

// values reads a chunk of JSON values. Raw is a value on one line.
func (p *Parser) values(c *Chunk, visit func(*Record) bool) error {
	number := c.First
	for value, rest := cutValue(c.Data); len(value) > 0; value, rest = cutValue(rest) {
		p.record = Record{File: c.File, Number: number}
		if err := p.read(c.layout, value); err != nil {
			return err
		}
		if p.record.Raw = value; p.record.Bad == nil && bytes.IndexByte(value, '\n') >= 0 {
			p.record.Raw = p.onOneLine(value)
		}
		if !visit(&p.record) {
			return nil
		}
		number++
	}
	return nil
}

// onOneLine returns a value without the blanks around its parts. Its memory is its own: a chunk keeps its records.
func (*Parser) onOneLine(value []byte) []byte {
	var line bytes.Buffer
	if json.Compact(&line, value) != nil { // it was read, so it is JSON
		return value
	}
	return line.Bytes()
}

// blank says whether a line counts as no record. A line of tabs is a record of empty columns.
func blank(format string, line []byte) bool {
	return len(line) == 0 || format != TSV && len(bytes.TrimSpace(line)) == 0
}

func (p *Parser) line(c *Chunk, line []byte) error {
	if c.layout.format != TSV {
		return p.read(c.layout, line)
	}
	columns, id := 0, []byte(nil)
	p.joined = p.joined[:0]
	for rest, more := line, true; more; columns++ {
		var field []byte
		field, rest, more = bytes.Cut(rest, []byte{'\t'})
		p.joined = appendColumn(p.joined, c.layout, columns, field)
		if columns == c.layout.id {
			id = field
		}
	}
	if columns != c.layout.columns {
		return wrongColumns(c, p.record.Number, columns, "a column has no tabs and line breaks")
	}
	err := p.read(c.layout, p.joined)
	p.record.ID = id
	return err
}

func wrongColumns(c *Chunk, record, columns int, rule string) error {
	unit := "columns"
	if columns == 1 {
		unit = "column"
	}
	return fmt.Errorf("read %s: record %d has %d %s, the first line has %d: %s", name(c.File), record, columns, unit,
		c.layout.columns, rule)
}

// appendColumn appends a column to the text if it belongs to it. The columns are joined in their order in the file.
func appendColumn[T string | []byte](dst []byte, l *layout, column int, field T) []byte {
	if len(field) == 0 || !slices.Contains(l.text, column) {
		return dst
	}
	if len(dst) > 0 {
		dst = append(dst, '\n')
	}
	return append(dst, field...)
}

// read fills the record with the compared part of value. Reading the formats of files does no I/O, so nothing blocks.
func (p *Parser) read(l *layout, value []byte) error {
	read, bad, err := l.reader.Read(context.Background(), document.Input{Value: value}, p.buffer)
	if err != nil || bad != nil {
		p.record.Bad = bad
		return err
	}
	p.buffer = read.Buffer
	p.record.Text, p.record.ID, p.record.Scope = read.Text, read.ID, read.Scope
	if read.Empty {
		p.record.Bad = l.reader.EmptyRejection()
	}
	return nil
}

// table reads a chunk of CSV.
func (p *Parser) table(c *Chunk, visit func(*Record) bool) error {
	in := csv.NewReader(bytes.NewReader(c.Data))
	in.ReuseRecord, in.FieldsPerRecord = true, c.layout.columns
	from := int64(0)
	for number := c.First; ; number++ {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if errors.Is(err, csv.ErrFieldCount) {
			return wrongColumns(c, number, len(fields),
				"a column with commas, quotation marks or line breaks stands in quotation marks")
		}
		if err != nil {
			return fmt.Errorf("read %s: record %d: %w", name(c.File), number, withoutPlace(err))
		}
		to := in.InputOffset()
		p.record = Record{File: c.File, Number: number, Raw: behindBlank(c.Data[from:to]), Header: c.layout.header}
		from = to
		p.joined = p.joined[:0]
		for i, field := range fields {
			p.joined = appendColumn(p.joined, c.layout, i, field)
		}
		if err := p.read(c.layout, p.joined); err != nil {
			return err
		}
		if c.layout.id >= 0 {
			p.id = append(p.id[:0], fields[c.layout.id]...)
			p.record.ID = p.id
		}
		if !visit(&p.record) {
			return nil
		}
	}
}

// behindBlank returns a record of CSV without the empty lines before it, which encoding/csv skips.
func behindBlank(raw []byte) []byte {
	for {
		rest := bytes.TrimPrefix(bytes.TrimPrefix(raw, []byte("\r")), []byte("\n"))
		if len(rest) == len(raw) || raw[len(raw)-len(rest)-1] != '\n' {
			return raw
		}
		raw = rest
	}
}

// withoutPlace drops the line number, because it is counted from the beginning of the chunk.
func withoutPlace(err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return parse.Err
	}
	return err
}

// files reads files that are a document each.
func (p *Parser) files(c *Chunk, visit func(*Record) bool) error {
	for _, path := range c.Files {
		if err := p.whole(path, c.layout.maxBytes+len(mark)+1, c.read); err != nil {
			return err
		}
		if err := recognise(p.file[:min(len(p.file), headBytes)], c.layout.guessed); err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		p.record = Record{File: path, Raw: p.file}
		if err := p.read(c.layout, p.file); err != nil {
			return err
		}
		if most := c.layout.maxBytes; len(p.file) > most { // no more of it was read
			p.record.Raw, p.record.Bad.Detail = nil, fmt.Sprintf("the file has more than %d bytes, the limit", most)
		}
		if !visit(&p.record) {
			return nil
		}
	}
	return nil
}

// whole reads a file to its end, but returns only the first most bytes of its content.
func (p *Parser) whole(path string, most int, count *atomic.Int64) (err error) {
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open documents: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	counted := counter{file, count}
	p.file, err = readUpTo(p.file[:0], most, counted)
	if err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if in, ok, err := unpack(io.MultiReader(bytes.NewReader(p.file), counted), p.file); err != nil {
		return fmt.Errorf("unpack %s: %w", path, err)
	} else if ok {
		defer in.end()
		unpacked, err := readUpTo(nil, most, in)
		if err != nil {
			return fmt.Errorf("read %s: %w", path, damaged(err))
		}
		p.file = unpacked
	}
	p.file = bytes.TrimPrefix(p.file, []byte(mark))
	return nil
}

// readUpTo appends the content of in, up to most bytes.
func readUpTo(dst []byte, most int, in io.Reader) ([]byte, error) {
	for len(dst) < most {
		dst = slices.Grow(dst, max(512, len(dst)/4))
		n, err := in.Read(dst[len(dst):min(most, cap(dst))])
		dst = dst[:len(dst)+n]
		if errors.Is(err, io.EOF) {
			return dst, nil
		}
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}
