package corpus

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
)

const (
	sampledParts = 32       // in files of many documents
	leastFiles   = 24       // of those that are one document each
	mostFiles    = 64       // of those that are one document each
	sampledPart  = 400      // one byte or file of so many is looked at, within the bounds
	leastSampled = 8 << 10  // bytes at a place
	mostSampled  = 64 << 10 // bytes at a place
	mostBehind   = 4 << 20  // bytes of a line that ends behind its place
)

// sampler looks at files here and there.
type sampler struct {
	params Params
	parser Parser
	visit  func(*Record)
	ended  func(times float64)
	random *rand.Rand // the same each time
	window int64      // bytes at a place
}

// Sample visits some records of files, whose sizes must be known: about one byte of 400, and at most 2 MiB and 64 files
// that are one document each. ended is called behind the records of each place, with how many times as many there are in
// the part of the files that the place stands for.
//
// Places are spread evenly over all bytes. Where a line is a document, those are read that begin in a window there. In
// tables, arrays and what is compressed no record can be found without those before it, so as much is read from the
// beginning of the file. What cannot be read is passed over.
func Sample(p Params, files []Source, visit func(*Record), ended func(times float64)) {
	p.Rows, p.MustID, p.Strict = RowsWanted, false, false
	s := sampler{params: p, visit: visit, ended: ended, random: rand.New(rand.NewPCG(1, 2))}
	reader := Reader{params: p}
	var whole, many []Source
	size := int64(0)
	for _, f := range files {
		if reader.whole(f) {
			whole = append(whole, f)
			continue
		}
		many = append(many, f)
		size += f.Size
	}
	s.wholeFiles(whole)
	s.window = min(max(size/sampledPart/sampledParts, leastSampled), mostSampled)
	s.parts(many, float64(size)/sampledParts)
}

// wholeFiles reads some files that are one document each.
func (s *sampler) wholeFiles(files []Source) {
	n := min(len(files), max(leastFiles, len(files)/sampledPart), mostFiles)
	if n == 0 {
		return
	}
	some := make([]Source, n)
	for i := range some {
		some[i] = files[(2*i+1)*len(files)/(2*n)]
	}
	r, err := NewReader(s.params, Those(some))
	if err != nil {
		return // the run reports it
	}
	var c Chunk
	for r.next(&c) == nil {
		_ = s.parser.Each(&c, s.all) // no record is an error
	}
	s.ended(float64(len(files)) / float64(n))
}

func (s *sampler) all(r *Record) bool {
	s.visit(r)
	return true
}

// parts divides files into parts of the same size, and looks at a place in each.
func (s *sampler) parts(files []Source, part float64) {
	begins, next := int64(0), part*s.random.Float64()
	for _, f := range files {
		var at []int64
		for ; next < float64(begins+f.Size); next += part {
			at = append(at, int64(next)-begins)
		}
		if begins += f.Size; len(at) > 0 {
			s.file(f, at, part)
		}
	}
}

func (s *sampler) file(f Source, at []int64, part float64) {
	r := Reader{params: s.params, sources: Those(nil)}
	if r.begin(f) != nil {
		_ = r.close() // it was only read
		return
	}
	defer func() { _ = r.close() }()
	switch r.layout.format {
	case JSONL, Lines, TSV:
		if !r.in.packed {
			for _, offset := range at {
				s.lines(&r, offset, f.Size, part)
			}
			return
		}
	}
	s.front(&r, f.Size, int64(len(at))*s.window, float64(len(at))*part)
}

// lines visits the lines that begin in a window of a file.
func (s *sampler) lines(r *Reader, at, size int64, part float64) {
	window := min(s.window, size)
	at = min(at, size-window)
	c := Chunk{File: r.file, First: 1, line: 1, layout: r.layout, reader: r}
	var ok bool
	if c.Data, ok = linesIn(r.in.file, at, window, r.layout.header); ok {
		_ = s.parser.Each(&c, s.all)
		s.ended(part / float64(window))
	}
}

// linesIn reads the lines that begin in a window, to the end of the last. header is the first line, which is none.
func linesIn(in io.ReaderAt, at, window int64, header []byte) (data []byte, ok bool) {
	from := max(at-1, 0) // a line begins behind the break before it
	data = make([]byte, at+window-from)
	n, err := in.ReadAt(data, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, false
	}
	data = data[:n]
	switch {
	case at > 0:
		begins := bytes.IndexByte(data, '\n') + 1
		if begins == 0 {
			return nil, true
		}
		data = data[begins:]
	case len(header) > 0:
		data = data[min(len(header), len(data)):]
	}
	for next := from + int64(n); len(data) > 0 && data[len(data)-1] != '\n'; {
		if len(data) > int(window)+mostBehind {
			return data[:bytes.LastIndexByte(data, '\n')+1], true
		}
		more := make([]byte, leastRead)
		n, err := in.ReadAt(more, next)
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, false
		}
		next, more = next+int64(n), more[:n]
		if end := bytes.IndexByte(more, '\n') + 1; end > 0 {
			more = more[:end]
		}
		if data = append(data, more...); err != nil {
			break
		}
	}
	return data, true
}

// front visits the records at the beginning of a file: those of so many bytes, which stand for so many.
func (s *sampler) front(r *Reader, size, bytes int64, of float64) {
	var (
		c     Chunk
		taken int64
		n     float64
	)
	for taken < bytes && r.next(&c) == nil {
		taken += int64(len(c.Data))
		_ = s.parser.Each(&c, func(r *Record) bool {
			n++
			return s.all(r)
		})
	}
	if n == 0 {
		return
	}
	if r.in == nil { // it is read to its end
		s.ended(of / float64(size))
		return
	}
	read := float64(r.read.Load()-int64(r.in.ahead())) * float64(taken) / float64(taken+int64(len(r.rest)))
	if read > 0 {
		s.ended(of / read)
	}
}
