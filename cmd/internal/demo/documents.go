package demo

import (
	"errors"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/feed"
	"github.com/unecho/unecho/consumer/document"
)

// Documents are what is sent: those of a feed, or the lines of a file.
type Documents struct {
	feed     *feed.Feed
	lines    *feed.Lines
	expected int // of all runs on the directory; 0: unknown
}

// Open opens a file if one is named, or else a feed: so soon that a slip in its name comes before anything is started.
func Open(input string, p feed.Params, d document.Params) (*Documents, error) {
	if input != "" {
		lines, err := feed.OpenJSONL(input, d)
		return &Documents{lines: lines}, exit.NotThere(err)
	}
	f, err := feed.New(p)
	if err != nil {
		return nil, exit.Usage(err)
	}
	return &Documents{feed: f, expected: p.Documents}, nil
}

func (d *Documents) next() (feed.Document, bool) {
	if d.lines != nil {
		return d.lines.Next()
	}
	return d.feed.Next()
}

// skip passes over what was sent before.
func (d *Documents) skip(sent int) {
	if d.feed != nil {
		d.feed.Skip(sent)
		return
	}
	for more := true; more && sent > 0; sent-- {
		_, more = d.lines.Next()
	}
}

// close tells how reading ended.
func (d *Documents) close() error {
	if d.lines == nil {
		return nil
	}
	return errors.Join(d.lines.Err(), d.lines.Close())
}
