package parts

import (
	"encoding/binary"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/index/text"
)

// job is a chunk with everything that is needed to take its documents apart. It is reused.
type job struct {
	chunk  corpus.Chunk
	parser corpus.Parser
	params *Params
	normal *text.Normalizer

	cases  []taken
	parts  []part
	texts  [][]byte
	spans  []corpus.Span
	names  []byte
	raw    []byte // files that are one document each, because their parser reuses its memory
	meant  []byte // the texts
	hashed []byte // the scope and the normal form of a part
	err    error
}

// taken is a record, taken apart.
type taken struct {
	Outcome        // without what is removed
	texts   [2]int // of job.texts and job.spans
	parts   [2]int // of job.parts: those that are long enough
}

// Chunk implements corpus.Job.
func (j *job) Chunk() *corpus.Chunk { return &j.chunk }

// Work takes the documents of the chunk apart.
func (j *job) Work() {
	j.cases, j.parts, j.texts, j.spans = j.cases[:0], j.parts[:0], j.texts[:0], j.spans[:0]
	j.names, j.raw, j.meant = j.names[:0], j.raw[:0], j.meant[:0]
	var refused error
	j.err = j.parser.Each(&j.chunk, func(r *corpus.Record) bool {
		d := taken{Outcome: Outcome{File: r.File, Row: r.Number, Line: r.Line, Raw: r.Raw, Header: r.Header, Rejected: r.Bad}}
		j.names, d.Name = corpus.Kept(j.names, func(dst []byte) []byte { return r.Name(dst, j.params.Named) })
		if len(j.chunk.Files) > 0 && (r.Bad == nil || j.params.Keep) {
			j.raw, d.Raw = corpus.Kept(j.raw, func(dst []byte) []byte { return append(dst, r.Raw...) })
		}
		if r.Bad != nil && j.params.Strict {
			refused = r.Refused(r.Bad)
			return false
		}
		if r.Bad == nil {
			j.take(&d, r)
		}
		j.cases = append(j.cases, d)
		return true
	})
	if j.err == nil {
		j.err = refused
	}
	j.normal.GiveBack()
}

func (j *job) take(d *taken, r *corpus.Record) {
	d.texts[0], d.parts[0] = len(j.texts), len(j.parts)
	j.spans = j.chunk.Spans(j.spans, r)
	for _, span := range j.spans[d.texts[0]:] {
		var own []byte
		j.meant, own = corpus.Kept(j.meant, func(dst []byte) []byte { return span.Decode(dst, r.Raw) })
		j.texts = append(j.texts, own)
		d.Parts += j.split(own, len(j.texts)-1-d.texts[0], r.Scope)
	}
	d.texts[1], d.parts[1] = len(j.texts), len(j.parts)
}

// split appends the parts of a text that are long enough, and returns how many parts there are.
func (j *job) split(own []byte, number int, scope uint64) (all int) {
	end := 0             // of the part before
	open := (*part)(nil) // the part before, if it was appended
	j.params.Unit.each(own, func(start, stop int) {
		if open != nil {
			open.behind, open.last = uint32(start), false
			open = nil
		}
		if k, ok := j.hash(own[start:stop], scope); ok {
			p := part{key: k, text: uint32(number), start: uint32(start), end: uint32(stop), last: true, behind: uint32(stop)}
			p.first, p.before = all == 0, uint32(end)
			if p.first {
				p.before = p.start
			}
			j.parts = append(j.parts, p)
			open = &j.parts[len(j.parts)-1]
		}
		end = stop
		all++
	})
	return all
}

// hash hashes the normal form of a part, if it is long enough and has words.
func (j *job) hash(own []byte, scope uint64) (k key, ok bool) {
	const scopeBytes = 8
	j.hashed = binary.LittleEndian.AppendUint64(j.hashed[:0], scope)
	j.hashed = j.normal.Append(j.hashed, own)
	normal := j.hashed[scopeBytes:]
	if len(normal) < max(1, j.params.Bytes) || normal[0] == ' ' { // a normal form without words begins with a space
		return key{}, false
	}
	return keyOf(j.hashed), true
}

// part is one that is long enough to be removed.
type part struct {
	key        key
	text       uint32 // which of the document's texts it is in
	start, end uint32
	// where the part before it ends, and the one behind it begins; start and end where there is none
	before, behind uint32
	first, last    bool
}

// ranges appends what is cut from a text if these parts are, which are all of it and ascend. Between two parts that stay
// is the widest of the gaps that were there. What is before the first and behind the last part of a text stays.
func ranges(dst []corpus.Range, text []byte, removed []part) []corpus.Range {
	for len(removed) > 0 {
		n := 1
		for n < len(removed) && removed[n].before == removed[n-1].end {
			n++
		}
		dst = appendRun(dst, text, removed[:n])
		removed = removed[n:]
	}
	return dst
}

// appendRun cuts parts that follow each other.
func appendRun(dst []corpus.Range, text []byte, run []part) []corpus.Range {
	head, tail := &run[0], &run[len(run)-1]
	switch {
	case head.first:
		return append(dst, corpus.Range{Start: int(head.start), End: int(tail.behind)})
	case tail.last:
		return append(dst, corpus.Range{Start: int(head.before), End: int(tail.end)})
	}
	widest, breaks := corpus.Range{Start: int(head.before), End: int(head.start)}, -1
	for i := range run {
		p := &run[i]
		gaps := []corpus.Range{{Start: int(p.before), End: int(p.start)}, {Start: int(p.end), End: int(p.behind)}}
		for _, gap := range gaps {
			if n := lineBreaks(text[gap.Start:gap.End]); n > breaks {
				widest, breaks = gap, n
			}
		}
	}
	return append(dst, corpus.Range{Start: int(head.before), End: widest.Start},
		corpus.Range{Start: widest.End, End: int(tail.behind)})
}

// lineBreaks counts them in the white space between two parts.
func lineBreaks(gap []byte) (n int) {
	for len(gap) > 0 {
		length, next := lineEnd(gap)
		if next > length {
			n++
		}
		gap = gap[next:]
	}
	return n
}
