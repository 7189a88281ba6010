package feed

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/unecho/unecho/consumer/document"
)

// MaxLine bounds a line of a JSONL file in bytes. A file with a longer line is not taken for JSONL.
const MaxLine = 64 << 20

// ErrLongLine is returned for a line of more than MaxLine bytes.
var ErrLongLine = errors.New("the line is too long: one JSON object, or one string, is expected on each")

// Lines reads the user's documents from a JSONL file. Each line is an object, which is sent unchanged, or a string,
// which becomes an object. Any other line is a document too, and sent unchanged: the filter rejects it with a reason.
// Empty lines are skipped.
type Lines struct {
	name   string
	in     *bufio.Reader
	file   io.Closer
	text   *document.Reader
	title  *document.Reader
	number int // of documents so far
	line   int // from 1
	err    error
}

// OpenJSONL opens a file, or standard input for "-". The Params are those of the filter, so that the text is the one it
// compares.
func OpenJSONL(path string, p document.Params) (*Lines, error) {
	if path == "-" {
		return NewLines("standard input", os.Stdin, p)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open documents: %w", err)
	}
	l, err := NewLines(path, file, p)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	l.file = file
	return l, nil
}

// NewLines reads from in; name is what errors call it.
func NewLines(name string, in io.Reader, p document.Params) (*Lines, error) {
	text, err := document.New(p)
	if err != nil {
		return nil, fmt.Errorf("read documents: %w", err)
	}
	titles := document.DefaultParams()
	titles.Format, titles.Fields = "json", []string{"title"}
	title, err := document.New(titles)
	if err != nil {
		return nil, fmt.Errorf("read documents: %w", err)
	}
	buffered := bufio.NewReaderSize(in, 64<<10)
	if mark, _ := buffered.Peek(3); string(mark) == "\ufeff" {
		_, _ = buffered.Discard(3) // it was peeked at, so it is there
	}
	return &Lines{name: name, in: buffered, text: text, title: title}, nil
}

// Next returns the next document, or false at the end or after an error.
func (l *Lines) Next() (Document, bool) {
	for l.err == nil {
		line := l.read()
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		l.number++
		return l.document(line), true
	}
	return Document{}, false
}

// Err is the error that ended the documents, or nil.
func (l *Lines) Err() error {
	if errors.Is(l.err, io.EOF) {
		return nil
	}
	return l.err
}

// Close closes the file.
func (l *Lines) Close() error {
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// read returns the next line, in new memory, and sets err when nothing follows.
func (l *Lines) read() []byte {
	l.line++
	var line []byte
	for {
		part, err := l.in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > MaxLine:
			l.err = fmt.Errorf("read %s line %d: %w", l.name, l.line, ErrLongLine)
			return nil
		case errors.Is(err, bufio.ErrBufferFull):
		case errors.Is(err, io.EOF):
			l.err = io.EOF
			return line
		case err != nil:
			l.err = fmt.Errorf("read %s line %d: %w", l.name, l.line, err)
			return nil
		default:
			return line
		}
	}
}

func (l *Lines) document(line []byte) Document {
	d := Document{Number: l.number - 1, Truth: Truth{Of: -1}, value: line}
	if line[0] == '"' {
		if json.Unmarshal(line, &d.Text) == nil {
			d.ID, d.value = fmt.Sprintf("line-%d", l.line), nil
		}
		return d
	}
	in := document.Input{Value: line}
	ctx := context.Background() // reading JSON does no I/O, and so has no errors either
	if read, bad, err := l.text.Read(ctx, in, nil); err == nil && bad == nil {
		d.Text, d.ID = string(read.Text), string(read.ID)
	}
	if read, bad, err := l.title.Read(ctx, in, nil); err == nil && bad == nil {
		d.Title = string(read.Text)
	}
	return d
}
