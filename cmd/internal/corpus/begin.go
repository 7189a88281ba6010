package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/unecho/unecho/sink"
)

// begin opens a file of many records and reads the header of a table.
func (r *Reader) begin(s Source) error {
	r.file, r.number, r.line, r.rest, r.ended, r.closed, r.failed, r.retried = s.Path, 1, 0, r.rest[:0], false, false, nil, 0
	in, err := openInput(s.Path, &r.read, bufio.NewReaderSize(nil, peekBytes))
	if err != nil {
		return &fault{reason: Unreadable, err: err}
	}
	r.in, r.line = in, 1
	r.files.Add(1)
	format, err := r.format(s)
	if err != nil {
		return &fault{reason: Unrecognised, err: err}
	}
	if head, _ := r.in.Peek(headBytes); len(bytes.TrimSpace(head)) > 0 { // without documents it could be of any format
		r.met(format)
		if err := r.checkObjects(s, format); err != nil {
			return err
		}
	}
	var header []byte
	switch format {
	case CSV, TSV:
		if header, err = r.header(format); err != nil {
			return err
		}
		if r.in.marked {
			header = append([]byte(mark), header...)
		}
	case JSON:
		r.bracket()
	case Parquet:
		r.line = 0
		if err := r.openRows(); err != nil {
			return err
		}
	}
	return r.lay(format, header)
}

// lay makes the layout of the open file.
func (r *Reader) lay(format string, header []byte) (err error) {
	r.layout, err = newLayout(format, r.params, header)
	if column := (*MistakeError)(nil); errors.As(err, &column) {
		return r.mistaken(err, 1)
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", NameOf(r.file), err)
	}
	return nil
}

// mistaken returns what is wrong with the columns of the open file. Where a file before was read, it is a fault of this one.
func (r *Reader) mistaken(err error, line int) error {
	if r.good > 0 {
		return &fault{line: line, reason: WrongColumns, err: err}
	}
	return fmt.Errorf("read %s: %w", NameOf(r.file), err)
}

// checkObjects returns an error if fields are to be added to the records of a file, and these are no objects.
func (r *Reader) checkObjects(s Source, format string) error {
	if !r.params.Objects || isObjects(format) {
		return nil
	}
	r.file = s.Path
	return r.mistaken(&MistakeError{fmt.Sprintf("it is read as %s, and --annotated adds fields to JSON and Parquet only: convert "+
		"it, or join it with --clusters, by file and row", format)}, 0)
}

// format returns the format of the open file, unless it is one of those that are refused.
func (r *Reader) format(s Source) (string, error) {
	head, _ := r.in.Peek(headBytes) // an error comes again when it is read
	guessed := r.params.Format == Auto
	if isParquet(head) && (guessed || r.params.Format == Parquet) {
		return Parquet, nil
	}
	if err := recognise(head, guessed); err != nil {
		return "", err
	}
	format := r.params.Format
	switch {
	case guessed && s.Path == Stdin:
		if format = guess(head); format == Lines && r.params.Comma != 0 {
			format = CSV
		}
		return format, nil
	case guessed:
		format, _ = formatOf(s.Path)
	}
	if guessed && r.params.Comma != 0 && (format == TSV || format == Lines) {
		return CSV, nil
	}
	if format == JSONL && bytes.HasPrefix(bytes.TrimLeft(head, blanks), []byte{'['}) || guessed && format == JSON {
		return jsonFormat(head), nil
	}
	return format, nil
}

// bracket removes the bracket that an array begins with. Objects one after another have none.
func (r *Reader) bracket() {
	r.closed = true
	for !r.ended && len(bytes.TrimLeft(r.rest, blanks)) == 0 {
		r.more()
	}
	if rest, array := bytes.CutPrefix(bytes.TrimLeft(r.rest, blanks), []byte{'['}); array {
		r.line += bytes.Count(r.rest[:len(r.rest)-len(rest)], []byte{'\n'})
		r.rest = append(r.rest[:0], rest...)
		r.closed = false
	}
}

// header removes the first record from the front.
func (r *Reader) header(format string) ([]byte, error) {
	for {
		n := r.firstRecord(format)
		if r.ended && n == 0 {
			n = len(r.rest)
		}
		switch {
		case r.failed != nil && n == len(r.rest):
			return nil, r.failed
		case n > 0 || r.ended:
			header := slices.Clone(r.rest[:n])
			r.rest = slices.Delete(r.rest, 0, n)
			r.line += bytes.Count(header, []byte{'\n'})
			return header, nil
		case len(r.rest) > MaxRecord:
			return nil, &fault{reason: sink.TooLarge, err: fmt.Errorf("the first line is longer than %d MiB", MaxRecord>>20)}
		}
		for least := 2 * len(r.rest); !r.ended && len(r.rest) <= least; {
			r.more()
		}
	}
}
