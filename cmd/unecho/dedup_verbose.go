package main

import (
	"fmt"
	"io"

	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/index"
)

// shownPairs shows each verified pair with both sketches. It keeps the sketches of all documents.
type shownPairs struct {
	out        io.Writer
	similarity index.SimilarityParams
	sketches   [][]byte // by number
}

// add takes the next document; each is added once, rejected ones too, in the order of their numbers.
func (s *shownPairs) add(o *dedup.Outcome) {
	if s != nil {
		s.sketches = append(s.sketches, append([]byte(nil), o.Sketch...))
	}
}

// show shows a match of a document.
func (s *shownPairs) show(number int64, name []byte, m *dedup.Match) error {
	if s == nil {
		return nil
	}
	_, err := fmt.Fprintf(s.out, "%s\t%s\t%s\t%v\n  %s\n  %s\n", printable(string(m.Name), longLine), printable(string(name), longLine),
		fourPlaces(m.Similarity.TenThousandths()), m.Method, s.bits(m.Number), s.bits(number))
	return err
}

// bits are those of a SimHash, the highest first, or the lowest bit of each slot of a MinHash, the first slot first: of these
// as many agree as of slots, and half of the rest.
func (s *shownPairs) bits(number int64) string {
	codes := s.sketches[number]
	if s.similarity.Sketch == "simhash" {
		return simHashBits(codes)
	}
	bits := make([]byte, 0, s.similarity.Slots)
	for slot := range s.similarity.Slots {
		at := slot * s.similarity.CodeBits
		bits = append(bits, '0'+codes[at/8]>>(at%8)&1)
	}
	return string(bits)
}
