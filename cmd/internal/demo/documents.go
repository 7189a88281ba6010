package demo

import (
	"errors"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index/eval/synthetic"
)

// Documents are the documents to be sent: those of a feed, or the lines of a file.
type Documents struct {
	feed     *synthetic.Articles
	lines    *synthetic.Lines
	expected int // documents of all runs on the directory; 0 is unknown
}

// Open opens the named file, or else a feed. It is called before anything is started, so that a wrong name is noticed
// first.
func Open(input string, p synthetic.Params, d document.Params) (*Documents, error) {
	if input != "" {
		lines, err := synthetic.OpenJSONL(input, d)
		return &Documents{lines: lines}, exit.NotThere(err)
	}
	f, err := synthetic.NewArticles(p)
	if err != nil {
		return nil, exit.Usage(err)
	}
	return &Documents{feed: f, expected: p.Documents}, nil
}

func (d *Documents) next() (synthetic.Document, bool) {
	if d.lines != nil {
		return d.lines.Next()
	}
	return d.feed.Next()
}

// skip skips the documents that were sent before.
func (d *Documents) skip(sent int) {
	if d.feed != nil {
		d.feed.Skip(sent)
		return
	}
	for more := true; more && sent > 0; sent-- {
		_, more = d.lines.Next()
	}
}

// close returns the error with which reading ended.
func (d *Documents) close() error {
	if d.lines == nil {
		return nil
	}
	return errors.Join(d.lines.Err(), d.lines.Close())
}
