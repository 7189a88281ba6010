package corpus

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync/atomic"
)

const (
	chunkBytes = 128 << 10 // a chunk has about this many bytes, or one larger record
	leastRead  = 32 << 10  // bytes that are asked for at least; gzip gives no more at once
	chunkFiles = 64        // or this many files that are one document each, if they are small
	// MaxRecord bounds a record in bytes. A file with a longer record is not taken for a file of documents.
	MaxRecord = 64 << 20
)

// Chunk is a run of whole records of one file, or a run of files that are a document each.
type Chunk struct {
	File   string
	First  int      // number of the first record
	Data   []byte   // the records, as they are in the file
	Files  []string // the files; then there is no Data
	size   int64    // of Files, in bytes
	layout *layout
	read   *atomic.Int64 // counts the bytes of Files
}

// Format is the format of the chunk's records.
func (c *Chunk) Format() string { return c.layout.format }

// Reader reads files as chunks, one after another.
type Reader struct {
	params  Params
	sources Sources
	read    atomic.Int64
	files   atomic.Int64

	pending *Source // a file already taken that does not belong to the chunk before it
	in      *input
	file    string
	layout  *layout
	number  int    // number of the next record
	rest    []byte // bytes after the last whole record
	ended   bool   // nothing follows rest in the file
	closed  bool   // the array of JSON has ended; only blanks may follow
	left    bool   // a call of Next is still reading
}

// NewReader makes a Reader. The Params are checked now, so that mistakes show before the first file is opened.
func NewReader(p Params, sources Sources) (*Reader, error) {
	if err := p.validate(); err != nil {
		return nil, err
	}
	if _, err := newLayout(JSONL, p, nil); err != nil {
		return nil, err
	}
	return &Reader{params: p, sources: sources}, nil
}

// Read returns how many bytes of files have been read so far, compressed ones as they are, and from how many files. It
// may be called from any goroutine.
func (r *Reader) Read() (bytes, files int64) { return r.read.Load(), r.files.Load() }

// Close closes the open file, if any. Nothing may be read afterwards.
func (r *Reader) Close() error {
	if r.left {
		return nil
	}
	return r.close()
}

func (r *Reader) close() error {
	if r.in == nil {
		return nil
	}
	in := r.in
	r.in = nil
	return in.close()
}

// Next fills c with the next records, in c's own memory, and returns io.EOF when there are none. When ctx is done it
// returns ctx's error; then neither c nor Next may be used again. A read from a source that has no data yet, such as a
// terminal or a pipe, cannot be interrupted: it continues in the background until there is data, or the process ends.
func (r *Reader) Next(ctx context.Context, c *Chunk) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		err = r.next(c)
	}()
	select {
	case <-done:
		return err
	case <-ctx.Done():
		r.left = true
		go func() {
			<-done
			_ = r.close() // it was only read
		}()
		return ctx.Err()
	}
}

func (r *Reader) next(c *Chunk) error {
	c.Data, c.Files, c.size = c.Data[:0], c.Files[:0], 0
	for {
		if r.in == nil {
			if done, err := r.open(c); done || err != nil {
				return err
			}
			continue
		}
		if err := r.fill(); err != nil {
			return err
		}
		if n := r.ready(); n > 0 {
			r.cut(c, n)
			return nil
		}
		if err := r.finish(); err != nil {
			return err
		}
	}
}

// open opens the next file. Files that are one document each are gathered into c; then c is complete.
func (r *Reader) open(c *Chunk) (done bool, err error) {
	for {
		source, err := r.source()
		if errors.Is(err, io.EOF) && len(c.Files) > 0 {
			return true, r.gathered(c)
		}
		if err != nil {
			return false, err
		}
		if r.whole(source) {
			r.files.Add(1)
			c.Files, c.size = append(c.Files, source.Path), c.size+source.size()
			if len(c.Files) == chunkFiles || c.size >= chunkBytes {
				return true, r.gathered(c)
			}
			continue
		}
		if len(c.Files) > 0 {
			r.pending = &source
			return true, r.gathered(c)
		}
		return false, r.begin(source)
	}
}

func (r *Reader) source() (Source, error) {
	if r.pending != nil {
		source := *r.pending
		r.pending = nil
		return source, nil
	}
	return r.sources()
}

func (r *Reader) gathered(c *Chunk) (err error) {
	c.read = &r.read
	c.layout, err = newLayout(Text, r.params, nil)
	return err
}

// whole says whether a file is one document.
func (r *Reader) whole(s Source) bool {
	if r.params.Format != Auto {
		return r.params.Format == Text && s.Path != Stdin
	}
	_, known := formatOf(s.Path)
	return s.Whole && !known
}

// begin opens a file of many records and reads the header of a table.
func (r *Reader) begin(s Source) error {
	in, err := openInput(s.Path, &r.read)
	if err != nil {
		return err
	}
	r.in, r.file, r.number, r.rest, r.ended, r.closed = in, s.Path, 1, r.rest[:0], false, false
	r.files.Add(1)
	format, err := r.format(s)
	if err != nil {
		return err
	}
	var header []byte
	switch format {
	case CSV, TSV:
		header, err = r.header(format)
	case JSON:
		err = r.bracket()
	}
	if err != nil {
		return err
	}
	r.layout, err = newLayout(format, r.params, header)
	if err != nil {
		return fmt.Errorf("read %s: %w", name(s.Path), err)
	}
	return nil
}

// format returns the format of the open file, unless it is one of those that are refused.
func (r *Reader) format(s Source) (string, error) {
	head, _ := r.in.Peek(headBytes) // an error comes again when it is read
	guessed := r.params.Format == Auto
	if err := recognise(head, guessed); err != nil {
		return "", fmt.Errorf("read %s: %w", name(s.Path), err)
	}
	format := r.params.Format
	switch {
	case guessed && s.Path == Stdin:
		return guess(head), nil
	case guessed:
		format, _ = formatOf(s.Path)
	}
	if format == JSONL && bytes.HasPrefix(bytes.TrimLeft(head, blanks), []byte{'['}) || guessed && format == JSON {
		return jsonFormat(head), nil
	}
	return format, nil
}

// bracket removes the bracket that an array begins with. Objects one after another have none.
func (r *Reader) bracket() error {
	r.closed = true
	for !r.ended && len(bytes.TrimLeft(r.rest, blanks)) == 0 {
		if err := r.more(); err != nil {
			return err
		}
	}
	if rest, array := bytes.CutPrefix(bytes.TrimLeft(r.rest, blanks), []byte{'['}); array {
		r.rest = append(r.rest[:0], rest...)
		r.closed = false
	}
	return nil
}

// header removes the first record from the front.
func (r *Reader) header(format string) ([]byte, error) {
	for {
		if n := firstRecord(format, r.rest); n > 0 || r.ended {
			if r.ended && n == 0 {
				n = len(r.rest)
			}
			header := slices.Clone(r.rest[:n])
			r.rest = slices.Delete(r.rest, 0, n)
			return header, nil
		}
		if err := r.more(); err != nil {
			return nil, err
		}
	}
}

// fill reads until there is at least one whole record and about a chunk of them, or the file ends. Where a record is
// longer, it looks for its end only when it has read as much again.
func (r *Reader) fill() error {
	for least := chunkBytes; ; least = min(2*len(r.rest), MaxRecord+1) {
		for !r.ended && len(r.rest) < least {
			if err := r.more(); err != nil {
				return err
			}
		}
		if r.ended || r.ready() > 0 {
			return nil
		}
		if len(r.rest) > MaxRecord {
			return fmt.Errorf("read %s: record %d is longer than %d MiB: each line is expected to be one document",
				name(r.file), r.number, MaxRecord>>20)
		}
	}
}

// ready returns the length of the whole records at the front of what was read. The last line of a file needs no break.
func (r *Reader) ready() int {
	if r.ended && r.layout.format != JSON {
		return len(r.rest)
	}
	return wholeRecords(r.layout.format, r.rest)
}

// finish closes a file of which no record is left.
func (r *Reader) finish() error {
	if r.layout.format == JSON {
		if err := r.closing(); err != nil {
			return fmt.Errorf("read %s: after record %d: %w", name(r.file), r.number-1, err)
		}
	}
	if err := r.close(); err != nil {
		return fmt.Errorf("close %s: %w", name(r.file), err)
	}
	return nil
}

// closing checks that values end as they should: an array with its bracket, and nothing behind it.
func (r *Reader) closing() error {
	value, rest, closed := nextValue(r.rest)
	r.rest = rest
	switch {
	case len(value) == 0 && !closed && len(rest) > 0:
		return errors.New("the value does not end: the file was cut off, or a quotation mark or bracket is missing")
	case closed && r.closed:
		return errors.New("a bracket closes an array that was not opened")
	case !closed && !r.closed:
		return errors.New("the array does not end: the file was cut off")
	}
	for {
		if len(bytes.TrimLeft(r.rest, blanks)) > 0 {
			return errors.New("something follows the end of the array: one array is expected, or objects one after another")
		}
		if r.rest = r.rest[:0]; r.ended {
			return nil
		}
		if err := r.more(); err != nil {
			return err
		}
	}
}

// more reads what at least one read returns.
func (r *Reader) more() error {
	r.rest = slices.Grow(r.rest, max(chunkBytes-len(r.rest), leastRead))
	n, err := r.in.Read(r.rest[len(r.rest):cap(r.rest)])
	r.rest = r.rest[:len(r.rest)+n]
	if errors.Is(err, io.EOF) {
		r.ended = true
		return nil
	}
	if err != nil {
		return fmt.Errorf("read %s: %w", name(r.file), damaged(err))
	}
	return nil
}

// cut moves n bytes to the chunk, whose memory takes what follows them.
func (r *Reader) cut(c *Chunk, n int) {
	c.File, c.First, c.layout = r.file, r.number, r.layout
	rest := append(c.Data[:0], r.rest[n:]...)
	c.Data, r.rest = r.rest[:n], rest
	r.number += r.layout.records(c.Data)
}

func name(path string) string {
	if path == Stdin {
		return "standard input"
	}
	return path
}

// wholeRecords returns the length of the whole records at the front of data.
func wholeRecords(format string, data []byte) int {
	if format == JSON {
		return wholeValues(data)
	}
	end := bytes.LastIndexByte(data, '\n') + 1
	if format != CSV {
		return end
	}
	// A line break within quotes does not end a record. There, an odd number of quotes precedes it.
	for quotes := bytes.Count(data[:end], []byte{'"'}); quotes%2 != 0; {
		before := bytes.LastIndexByte(data[:max(0, end-1)], '\n') + 1
		quotes -= bytes.Count(data[before:end], []byte{'"'})
		end = before
	}
	return end
}

// firstRecord returns the length of the first record, or 0 if it is not complete.
func firstRecord(format string, data []byte) int {
	quotes, end := 0, 0
	for {
		n := bytes.IndexByte(data[end:], '\n') + 1
		if n == 0 {
			return 0
		}
		quotes += bytes.Count(data[end:end+n], []byte{'"'})
		end += n
		if format != CSV || quotes%2 == 0 {
			return end
		}
	}
}
