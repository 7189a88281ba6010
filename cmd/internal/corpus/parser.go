package corpus

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/sink"
)

// Record is a document as it is in a file. Its slices are valid until the next record.
type Record struct {
	File    string
	Number  int    // 0 for a file that is one document, and for what is wrong with a file as a whole
	Line    int    // where it begins; 0 where there are no lines
	Raw     []byte // the bytes in the file, with the line break if there is one; empty for a file that is too large
	Header  []byte // the first line of its table, with the byte order mark if the file has one; stays valid
	Text    []byte // valid UTF-8
	ID      []byte // empty means that its number, or its file, is its name
	Scope   uint64
	Missing uint32              // of Params.Fields those that it lacks, the first one in the lowest bit
	Bad     *document.Rejection // why it cannot be compared; Text is then empty
	Fault   bool                // it is no document: something is wrong with the file

	ids bool // records of its file may have ids
}

// Name returns the record's name: its id, or FILE:NUMBER, or its file. Unless file says that several files are read, it is
// :NUMBER where other records may have ids, which are numbers often, and else the number alone.
func (r *Record) Name(dst []byte, file bool) []byte {
	if len(r.ID) > 0 {
		return append(dst, r.ID...)
	}
	if r.Number == 0 {
		return append(dst, NameOf(r.File)...)
	}
	if file {
		dst = append(dst, r.File...)
	}
	if file || r.ids {
		dst = append(dst, ':')
	}
	return strconv.AppendInt(dst, int64(r.Number), 10)
}

// EmptyRejection returns the rejection of a record without text, or nil if such a record is unique.
func (c *Chunk) EmptyRejection() *document.Rejection { return c.layout.reader.EmptyRejection("") }

// A Parser takes records out of chunks. Each goroutine has its own.
type Parser struct {
	record Record
	buffer []byte // scratch memory of the document reader
	joined []byte // the columns of a table that are the text
	id     []byte
	file   []byte
	reader *bufio.Reader // of a file
}

// Each calls visit for each record of a chunk that is not blank, until visit returns false. What is wrong with a file is
// a record that is rejected; where all are to be documents, it is an error.
func (p *Parser) Each(c *Chunk, visit func(*Record) bool) error {
	var refused error
	params := &c.reader.params
	err := p.records(c, func(r *Record) bool {
		if r.Bad != nil && params.Called != nil {
			r.Bad = &document.Rejection{Reason: r.Bad.Reason, Detail: params.Called.Replace(r.Bad.Detail)}
		}
		if r.Bad != nil && params.Strict {
			refused = r.Refused(r.Bad)
			return false
		}
		return visit(r)
	})
	return errors.Join(err, refused)
}

func (p *Parser) records(c *Chunk, visit func(*Record) bool) error {
	switch {
	case c.wrong != nil:
		visit(c.wrong)
		return nil
	case len(c.Files) > 0:
		return p.files(c, visit)
	}
	switch c.layout.format {
	case CSV:
		return p.table(c, visit)
	case JSON:
		return p.values(c, visit)
	case Parquet:
		return p.rows(c, visit)
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
		p.record = Record{File: c.File, Number: number, Line: c.line + number - c.First, Raw: raw, Header: c.layout.header, ids: c.layout.ids}
		if err := p.readLine(c, line); err != nil {
			return err
		}
		if !p.give(c, visit) {
			return nil
		}
	}
	return nil
}

func (p *Parser) give(c *Chunk, visit func(*Record) bool) bool {
	if !p.record.Fault {
		c.reader.seen.note(len(p.record.ID) > 0, c.layout.fields(&p.record))
	}
	return visit(&p.record)
}

// values reads a chunk of JSON values. Raw is a value on one line.
func (p *Parser) values(c *Chunk, visit func(*Record) bool) error {
	number, line, data := c.First, c.line, c.Data
	for value, rest := cutValue(data); len(value) > 0; value, rest = cutValue(data) {
		line += bytes.Count(data[:len(data)-len(rest)-len(value)], []byte{'\n'})
		p.record = Record{File: c.File, Number: number, Line: line, ids: c.layout.ids}
		if err := p.read(c.layout, value); err != nil {
			return err
		}
		breaks := bytes.Count(value, []byte{'\n'})
		if p.record.Raw = value; breaks > 0 {
			p.record.Raw = p.onOneLine(value)
		}
		if !p.give(c, visit) {
			return nil
		}
		number, line, data = number+1, line+breaks, rest
	}
	return nil
}

// onOneLine returns a value without the blanks around its parts. Its memory is its own: a chunk keeps its
// records.
func (*Parser) onOneLine(value []byte) []byte {
	line := make([]byte, 0, len(value))
	for len(value) > 0 {
		n := 1
		switch value[0] {
		case ' ', '\t', '\r', '\n':
			value = value[1:]
			continue
		case '"':
			if n = stringEnd(value); n == 0 {
				n = len(value)
			}
		}
		line, value = append(line, value[:n]...), value[n:]
	}
	for i, b := range line {
		if b == '\n' || b == '\r' { // in a string, where JSON has none
			line[i] = ' '
		}
	}
	return line
}

// blank says whether a line counts as no record. A line of tabs is a record of empty columns.
func blank(format string, line []byte) bool {
	return len(line) == 0 || format != TSV && len(bytes.TrimSpace(line)) == 0
}

func (p *Parser) readLine(c *Chunk, line []byte) error {
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
		p.record.wrongColumns(columns, c.layout.columns, "a column has no tabs and line breaks")
		return nil
	}
	err := p.read(c.layout, p.joined)
	p.record.ID = id
	return err
}

func (r *Record) wrongColumns(columns, first int, rule string) {
	unit := "columns"
	if columns == 1 {
		unit = "column"
	}
	r.wrong(WrongColumns, fmt.Sprintf("it has %d %s, the first line has %d: %s", columns, unit, first, rule))
}

// wrong rejects a record because of its place in the file.
func (r *Record) wrong(reason sink.Reason, detail string) {
	r.Bad, r.Fault = &document.Rejection{Reason: reason, Detail: detail}, true
}

// appendColumn appends a column to the text if it belongs to it. The columns are joined in their order in the file.
func appendColumn[T string | []byte](dst []byte, l *layout, column int, field T) []byte {
	if len(field) == 0 || !slices.Contains(l.text, column) {
		return dst
	}
	if len(dst) > 0 {
		dst = append(dst, document.Separator...)
	}
	return append(dst, field...)
}

// read fills the record with the compared part of value. Reading the formats of files does no I/O, so nothing blocks.
func (p *Parser) read(l *layout, value []byte) error {
	read, bad, err := l.reader.Read(context.Background(), document.Input{Value: value}, p.buffer)
	if err != nil || bad != nil {
		p.record.Bad, p.record.ID = bad, read.ID
		return err
	}
	p.buffer = read.Buffer
	p.record.Text, p.record.ID, p.record.Scope, p.record.Missing = read.Text, read.ID, read.Scope, read.Missing|l.missing
	if read.Empty {
		p.record.Bad = l.reader.EmptyRejection("")
	}
	return nil
}

func (p *Parser) table(c *Chunk, visit func(*Record) bool) error {
	in := c.layout.dialect.reader(c.Data)
	in.ReuseRecord, in.FieldsPerRecord = true, c.layout.columns
	from, line := int64(0), c.line
	for number := c.First; ; number++ {
		fields, err := in.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		raw := c.Data[from:in.InputOffset()]
		own := behindBlank(raw)
		line += bytes.Count(raw[:len(raw)-len(own)], []byte{'\n'})
		p.record = Record{File: c.File, Number: number, Line: line, Raw: own, Header: c.layout.header, ids: c.layout.ids}
		line += bytes.Count(own, []byte{'\n'})
		from = in.InputOffset()
		if err := p.row(c.layout, fields, err); err != nil {
			return err
		}
		if !p.give(c, visit) {
			return nil
		}
	}
}

// row fills the record with a row of CSV, or with what is wrong with it.
func (p *Parser) row(l *layout, fields []string, err error) error {
	switch {
	case errors.Is(err, csv.ErrFieldCount):
		p.record.wrongColumns(len(fields), l.columns,
			"a column with commas, quotation marks or line breaks stands in quotation marks")
		return nil
	case err != nil:
		p.record.wrong(WrongQuotes, withoutLine(err).Error())
		return nil
	}
	p.joined = p.joined[:0]
	for i, field := range fields {
		p.joined = appendColumn(p.joined, l, i, field)
	}
	if err := p.read(l, p.joined); err != nil {
		return err
	}
	if l.id >= 0 {
		p.id = append(p.id[:0], fields[l.id]...)
		p.record.ID = p.id
	}
	return nil
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

// withoutLine drops the line number, because it is counted from the beginning of the chunk.
func withoutLine(err error) error {
	var parse *csv.ParseError
	if errors.As(err, &parse) {
		return parse.Err
	}
	return err
}

func (p *Parser) files(c *Chunk, visit func(*Record) bool) error {
	for _, path := range c.Files {
		p.record = Record{File: path}
		if err := p.whole(path, c.layout.most(), &c.reader.read); err != nil {
			p.record.wrong(Unreadable, err.Error())
		} else if err := recognise(p.file[:min(len(p.file), headBytes)], c.layout.guessed); err != nil {
			p.record.wrong(Unrecognised, err.Error())
		} else if err := p.text(c.layout); err != nil {
			return err
		}
		if !visit(&p.record) {
			return nil
		}
	}
	return nil
}

// text fills the record with the file that was read.
func (p *Parser) text(l *layout) error {
	p.record.Raw = p.file
	if err := p.read(l, p.file); err != nil {
		return err
	}
	if len(p.file) > l.maxBytes {
		p.record.Bad.Detail = fmt.Sprintf("the file has more than %d bytes, the limit (advanced.max_document_bytes)", l.maxBytes)
	}
	if len(p.file) > l.wholeBytes() { // no more of it was read
		p.record.Raw = nil
	}
	return nil
}

// whole reads a file to its end, but returns only the first most bytes of its content.
func (p *Parser) whole(path string, most int, count *atomic.Int64) (err error) {
	if p.reader == nil {
		p.reader = bufio.NewReaderSize(nil, peekBytes)
	}
	in, err := openInput(path, count, p.reader)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	p.file, err = readUpTo(p.file[:0], most, in)
	return damaged(err)
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
