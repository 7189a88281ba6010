package dedup

import (
	"fmt"
	"io"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/sketch"
)

// shownPairs shows each verified pair with both sketches. It keeps the sketches of all documents.
type shownPairs struct {
	out      io.Writer
	scheme   sketch.Scheme
	params   sketch.Params
	sketches [][]byte // by number
}

func newShownPairs(out io.Writer, p index.DuplicatesParams) (*shownPairs, error) {
	scheme, params, err := p.Scheme()
	return &shownPairs{out: out, scheme: scheme, params: params}, err
}

// add takes the next document; each is added once, rejected ones too, in the order of their numbers.
func (s *shownPairs) add(o *Outcome) {
	if s != nil {
		s.sketches = append(s.sketches, append([]byte(nil), o.Sketch...))
	}
}

// show shows a match of a document.
func (s *shownPairs) show(number int64, name []byte, m *Match) error {
	if s == nil {
		return nil
	}
	_, err := fmt.Fprintf(s.out, "%s\t%s\t%s\t%v\n  %s\n  %s\n", terminal.Printable(string(m.Name), terminal.LongLine),
		terminal.Printable(string(name), terminal.LongLine),
		terminal.FourDecimals(m.Similarity.TenThousandths()), m.Method, s.bits(m.Number), s.bits(number))
	return err
}

func (s *shownPairs) bits(number int64) string { return s.scheme.Bits(s.params, s.sketches[number]) }
