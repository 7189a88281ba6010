package tune

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/outfile"
)

// Ref is how a label calls a document: by its name, and as `unecho dedup` writes labels, by its place as well.
type Ref struct {
	Name string
	File string // empty: the name alone calls it
	Row  int    // 0 for a file that is one document
}

// RefOf calls a document of a file.
func RefOf(name string, r *corpus.Record) Ref { return Ref{name, outfile.Name(r.File), r.Number} }

// at returns the Ref with the place that two columns say, if they say one.
func (r Ref) at(file, row string) Ref {
	n, err := strconv.Atoi(row)
	if file == "" || err != nil && row != "" {
		return r
	}
	r.File, r.Row = file, n
	return r
}

// Numbers say which number a document has. Several may have one name.
type Numbers struct {
	First string // name of the first document, to show what names are like
	named map[string]named
	at    map[Ref]int
}

// named are the documents of a name.
type named struct{ first, second int } // second is below 0 if there is none

var errSeveral = errors.New("labels could mean either: those that `unecho dedup` writes name file and row as well, if files are named " +
	"as they were for it")

// Add adds a document.
func (n *Numbers) Add(r Ref, number int) {
	if n.named == nil {
		n.named, n.at = map[string]named{}, map[Ref]int{}
	}
	switch d, met := n.named[r.Name]; {
	case !met:
		n.named[r.Name] = named{number, -1}
	case d.second < 0:
		n.named[r.Name] = named{d.first, number}
	}
	if _, met := n.at[r]; !met {
		n.at[r] = number
	}
}

// find returns the number of a document, by its place where there is such a document, else by its name.
func (n *Numbers) find(r Ref) (number int, known bool, err error) {
	if number, known = n.at[r]; known && r.File != "" {
		return number, true, nil
	}
	d, known := n.named[r.Name]
	if d.second > 0 {
		err = fmt.Errorf("documents %d and %d have the same id %q: %w", d.first+1, d.second+1, r.Name, errSeveral)
	}
	return d.first, known, err
}

// called returns the name of a document, and where it is if another one has that name.
func (n *Numbers) called(r Ref) string {
	if n.named[r.Name].second < 0 {
		return r.Name
	}
	at := r.File
	if r.Row > 0 {
		at += ":" + strconv.Itoa(r.Row)
	}
	return r.Name + " (" + at + ")"
}

// Renumber gives each document the number that now returns for its own.
func (n *Numbers) Renumber(now func(number int) int) {
	for name, d := range n.named { // in no order, as below: each by itself
		if d.first = now(d.first); d.second >= 0 {
			d.second = now(d.second)
		}
		n.named[name] = d
	}
	for r, number := range n.at {
		n.at[r] = now(number)
	}
}
