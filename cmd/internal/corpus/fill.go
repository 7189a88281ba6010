package corpus

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/unecho/unecho/sink"
)

// fill reads until there is at least one whole record and about a chunk of them, or the file ends. Where a record is
// longer, it looks for its end only when it has read as much again. One that is too long is a fault.
func (r *Reader) fill() error {
	for least := chunkBytes; ; least = min(2*len(r.rest), MaxRecord+1) {
		for !r.stopped() && len(r.rest) < least {
			r.more()
		}
		if bad := r.skipped; bad != nil && len(r.rest) == 0 {
			r.skipped = nil
			r.number++
			return bad
		}
		if r.stopped() || r.ready() > 0 {
			return nil
		}
		if len(r.rest) > MaxRecord {
			return r.skipRecord()
		}
	}
}

// mostRetries is how often the lines of a record that is too long are looked at one by one.
const mostRetries = 16

// skipRecord drops a record that is too long, and returns what is wrong. A record of CSV may be that long because a
// quotation mark is missing, so only its first line is dropped.
func (r *Reader) skipRecord() error {
	bad := &fault{number: r.number, line: r.line, reason: sink.TooLarge, err: fmt.Errorf("the record is longer than %d MiB: "+
		"each line is expected to be one document", MaxRecord>>20)}
	switch r.layout.format {
	case JSON:
		bad.err = fmt.Errorf("the value is longer than %d MiB, or a quotation mark or bracket is missing; what follows is not read",
			MaxRecord>>20)
		return errors.Join(bad, r.close())
	case CSV:
		bad.err = fmt.Errorf("the record is longer than %d MiB: a quotation mark may be missing", MaxRecord>>20)
		if end := bytes.IndexByte(r.rest, '\n') + 1; end > 0 && r.retried < mostRetries {
			r.retried++
			r.rest = r.rest[end:]
			r.number, r.line = r.number+1, r.line+1
			return bad
		}
	}
	r.skipLine()
	r.number++
	return bad
}

// skipLine drops what was read, and what follows of its last line.
func (r *Reader) skipLine() {
	for end := 0; end == 0 && !r.ended; {
		r.line += bytes.Count(r.rest, []byte{'\n'})
		r.rest = nil // its memory, too
		r.more()
		if end = bytes.IndexByte(r.rest, '\n') + 1; end > 0 || r.ended {
			r.rest = r.rest[end:]
		}
	}
	r.line++
}

// stopped says that nothing is read for now: the file has ended, or a row is reported.
func (r *Reader) stopped() bool { return r.ended || r.skipped != nil }

// ready returns the length of the whole records at the front of what was read. The last line of a file needs no break,
// unless the file was cut off.
func (r *Reader) ready() int {
	if r.ended && r.failed == nil && r.layout.format != JSON {
		return len(r.rest)
	}
	return r.wholeRecords(r.layout.format)
}

// finish closes a file of which no record is left.
func (r *Reader) finish() error {
	var bad error
	if r.layout.format == JSON && r.failed == nil {
		if err := r.closing(); err != nil {
			bad = &fault{number: r.number, line: r.line, reason: sink.InvalidJSON, err: err}
		}
	}
	if r.failed != nil {
		bad = r.failed
	}
	if err := r.close(); err != nil && bad == nil {
		bad = &fault{reason: Unreadable, err: fmt.Errorf("close: %w", err)}
	}
	return bad
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
		r.more()
	}
}

// more reads what at least one read returns. After an error the file has ended.
func (r *Reader) more() {
	if r.rows != nil {
		r.moreRows()
		return
	}
	r.rest = slices.Grow(r.rest, max(chunkBytes-len(r.rest), leastRead))
	n, err := r.in.Read(r.rest[len(r.rest):cap(r.rest)])
	r.rest = r.rest[:len(r.rest)+n]
	r.ended = err != nil
	if err != nil && !errors.Is(err, io.EOF) {
		r.failed = &fault{line: r.line, reason: Unreadable, err: damaged(err)}
	}
}

// cut moves n bytes to the chunk, whose memory takes what follows them.
func (r *Reader) cut(c *Chunk, n int) {
	c.File, c.First, c.line, c.layout = r.file, r.number, r.line, r.layout
	rest := append(c.Data[:0], r.rest[n:]...)
	c.Data, r.rest = r.rest[:n], rest
	records := r.layout.records(c.Data)
	r.number += records
	if r.rows != nil {
		return // there are no lines
	}
	if r.layout.format == CSV || r.layout.format == JSON {
		records = bytes.Count(c.Data, []byte{'\n'})
	}
	r.line += records
}

// wholeRecords returns the length of the whole records at the front of what was read.
func (r *Reader) wholeRecords(format string) int {
	data := r.rest
	switch format {
	case JSON:
		return wholeValues(data)
	case CSV:
		return r.params.dialect().wholeRows(data)
	}
	return bytes.LastIndexByte(data, '\n') + 1
}

// firstRecord returns the length of the first record of a table, or 0 if it is not complete.
func (r *Reader) firstRecord(format string) int {
	if format == CSV {
		return r.params.dialect().rowEnd(r.rest)
	}
	return bytes.IndexByte(r.rest, '\n') + 1
}
