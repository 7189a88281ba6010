package corpus

import (
	"context"
	"errors"
	"io"
	"sync/atomic"

	"github.com/unecho/unecho/consumer/document"
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
	line   int      // where that begins
	Data   []byte   // the records, as they are in the file
	Files  []string // the files; then there is no Data
	size   int64    // of Files, in bytes
	layout *layout
	wrong  *Record // then there are no records but this one: what is wrong with the file
	reader *Reader // its params, and what it counts, are for all chunks
}

// seen is what was there in some of the documents. Parsers note it.
type seen struct {
	id     atomic.Bool
	fields atomic.Uint32 // those of Params.Fields, the first one in the lowest bit
}

// note notes a record that is no fault of its file.
func (s *seen) note(id bool, fields uint32) {
	if id && !s.id.Load() {
		s.id.Store(true)
	}
	if was := s.fields.Load(); was|fields != was {
		s.fields.Or(fields)
	}
}

// Format is the format of the chunk's records; empty if it has none, but says what is wrong with a file.
func (c *Chunk) Format() string {
	if c.wrong != nil {
		return ""
	}
	return c.layout.format
}

// Reader reads files as chunks, one after another.
type Reader struct {
	params  Params
	sources Sources
	read    atomic.Int64
	files   atomic.Int64

	pending *Source // a file already taken that does not belong to the chunk before it
	in      *input
	rows    *rows // of the open file, if it is one of columns
	file    string
	layout  *layout
	number  int    // number of the next record
	line    int    // where it begins
	rest    []byte // bytes after the last whole record
	ended   bool   // nothing follows rest in the file
	closed  bool   // the array of JSON has ended; only blanks may follow
	failed  error  // why the file ended early
	skipped error  // what is wrong with the row behind rest
	retried int    // how often records of this file were too long because of a quotation mark
	good    int    // files that could be read from their beginning
	seen    seen
	formats []string // that the files have
	left    bool     // a call of Next is still reading
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

// Check returns a *MistakeError if what was asked for decides nothing, if the id that was asked for was in none of the documents, or where fields may be missing one
// of these. All of them were parsed before.
func (r *Reader) Check() error {
	fields := r.seen.fields.Load()
	switch err := r.checkAsked(); {
	case err != nil:
		return err
	case r.good == 0:
		return nil
	case r.params.MustID && !r.seen.id.Load():
		return &MistakeError{"--id " + r.params.ID + ": no document has such a field"}
	case !r.params.lax() || fields == 0: // then each document that lacks one is rejected
		return nil
	}
	for i, field := range r.params.Fields {
		if fields>>i&1 == 0 {
			return &MistakeError{"--fields " + field + ": no document has such a field"}
		}
	}
	return nil
}

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
	in, opened := r.in, r.rows
	r.in, r.rows = nil, nil
	return errors.Join(opened.close(), in.close())
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

// next fills c, or says in it what is wrong with a file, which is then passed over.
func (r *Reader) next(c *Chunk) error {
	c.Data, c.Files, c.size, c.wrong, c.reader = c.Data[:0], c.Files[:0], 0, nil, r
	err := r.nextRecords(c)
	if bad := (*fault)(nil); errors.As(err, &bad) {
		c.wrong = &Record{
			File: r.file, Number: bad.number, Line: bad.line, Bad: &document.Rejection{Reason: bad.reason, Detail: bad.err.Error()},
			Fault: true, ids: r.layout != nil && r.layout.ids,
		}
		return nil
	}
	return err
}

func (r *Reader) nextRecords(c *Chunk) error {
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
			if err := r.checkObjects(source, Text); err != nil {
				return false, err
			}
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
		if err := r.begin(source); err != nil {
			return false, errors.Join(err, r.close())
		}
		r.good++
		return false, nil
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
	r.met(Text)
	c.layout, err = newLayout(Text, r.params, nil)
	return err
}

// whole says whether a file is one document.
func (r *Reader) whole(s Source) bool {
	if r.params.Format != Auto {
		return r.params.Format == Text && s.Path != Stdin
	}
	_, known := formatOf(s.Path)
	return s.Whole && !known && r.params.Comma == 0
}

// NameOf is what messages call a file, or standard input.
func NameOf(path string) string {
	if path == Stdin {
		return "standard input"
	}
	return path
}
