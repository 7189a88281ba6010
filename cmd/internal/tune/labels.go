package tune

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/index/eval"
)

// Labels are known pairs, by the names of their documents.
type Labels struct {
	path  string
	pairs []namedPair
}

type namedPair struct {
	line int
	a, b Ref
}

// ReadLabels reads known pairs. The documents that they name need not be known yet.
func ReadLabels(path string) (*Labels, error) {
	l := &Labels{path: path}
	return l, each(path, func(line int, columns []string) error {
		if len(l.pairs) == eval.MostPairs {
			return fmt.Errorf("read %s: line %d: %w: more than %d are labelled: %s", path, line, eval.ErrPairs, eval.MostPairs,
				fewerPairs)
		}
		p := namedPair{line, Ref{Name: columns[0]}, Ref{Name: columns[1]}}
		if len(columns) == pairColumns {
			p.a, p.b = p.a.at(columns[3], columns[4]), p.b.at(columns[5], columns[6])
		}
		l.pairs = append(l.pairs, p)
		return nil
	})
}

// Names returns the names of the documents, and perhaps of two columns.
func (l *Labels) Names() map[string]bool {
	names := make(map[string]bool, 2*len(l.pairs))
	for _, p := range l.pairs {
		names[p.a.Name], names[p.b.Name] = true, true
	}
	return names
}

// Pairs returns the pairs by numbers of documents, each once, without pairs of a document with itself. It tells note
// about a first line that is no pair.
func (l *Labels) Pairs(numbers Numbers, note io.Writer) ([]eval.Pair, error) {
	var pairs []eval.Pair
	for _, p := range l.pairs {
		a, knownA, errA := numbers.find(p.a)
		b, knownB, errB := numbers.find(p.b)
		switch err := cmp.Or(errA, errB); {
		case p.line == 1 && !knownA && !knownB:
			header(note, l.path, p.a.Name)
		case !knownA:
			return nil, numbers.unknown(l.path, p.line, p.a.Name)
		case !knownB:
			return nil, numbers.unknown(l.path, p.line, p.b.Name)
		case err != nil:
			return nil, fmt.Errorf("read %s: line %d: %w", l.path, p.line, err)
		case a != b:
			pairs = append(pairs, eval.Pair{A: min(a, b), B: max(a, b)})
		}
	}
	return sortedPairs(pairs), nil
}

// Pairs returns the pairs of a file; note is called for a first line that is none.
func (d *Documents) Pairs(path string, note io.Writer) ([]eval.Pair, error) {
	l, err := ReadLabels(path)
	if err != nil {
		return nil, err
	}
	return l.Pairs(d.numbers, note)
}

// fewerPairs is the remedy for too many of them.
const fewerPairs = "many are copies of each other: keep one of each, as `unecho dedup --threshold 1` does, or take " +
	"fewer documents"

// Clusters returns all pairs of each cluster of a file; note is called for a first line that is none.
func (d *Documents) Clusters(path string, note io.Writer) ([]eval.Pair, error) {
	members, of := map[Ref][]int{}, map[int]Ref{}
	count := 0
	err := each(path, func(line int, columns []string) error {
		document, cluster := Ref{Name: columns[0]}, Ref{Name: columns[1]}
		if len(columns) == clusterColumns {
			document, cluster = document.at(columns[2], columns[3]), cluster.at(columns[4], columns[5])
		}
		number, known, err := d.numbers.find(document)
		switch {
		case !known && line == 1:
			header(note, path, document.Name)
			return nil
		case !known:
			return d.numbers.unknown(path, line, document.Name)
		case err != nil:
			return fmt.Errorf("read %s: line %d: %w", path, line, err)
		}
		if other, twice := of[number]; twice {
			if other != cluster {
				return fmt.Errorf("read %s: line %d: document %q is in cluster %q already, and cannot be in %q as well", path,
					line, document.Name, other.Name, cluster.Name)
			}
			return nil
		}
		of[number] = cluster
		if count += len(members[cluster]); count > eval.MostPairs {
			return fmt.Errorf("read %s: line %d: %w: more than %d in clusters: %s", path, line, eval.ErrPairs, eval.MostPairs,
				fewerPairs)
		}
		members[cluster] = append(members[cluster], number)
		return nil
	})
	if err != nil {
		return nil, err
	}
	pairs := make([]eval.Pair, 0, count)
	for _, all := range members { // in no order: they are sorted below
		for i, b := range all {
			for _, a := range all[:i] {
				pairs = append(pairs, eval.Pair{A: min(a, b), B: max(a, b)})
			}
		}
	}
	return sortedPairs(pairs), nil
}

// header reports that the first line was skipped, in case that was not intended.
func header(note io.Writer, path, id string) {
	fmt.Fprintf(note, "unecho: the first line of %s is taken for names of columns: there is no document %q\n", path, id)
}

func (n *Numbers) unknown(path string, line int, id string) error {
	called := "their ids (--id), or else by their numbers"
	if n.topic {
		called = "the ids that the configuration gives them (sources.id), or else by TOPIC/PARTITION/OFFSET"
	}
	return fmt.Errorf("read %s: line %d: there is no document %q; documents are called by %s: the first is %q", path, line, id, called, n.First)
}

func sortedPairs(pairs []eval.Pair) []eval.Pair {
	eval.SortPairs(pairs)
	return slices.Compact(pairs)
}

// mostLabelBytes bounds a line of labels.
const mostLabelBytes = 1 << 20

// How many columns lines of `unecho dedup` have, with --pairs and --clusters.
const (
	pairColumns    = 7
	clusterColumns = 6
)

// each calls visit with the columns of each line, which are two at least.
func each(path string, visit func(line int, columns []string) error) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return exit.NotThere(fmt.Errorf("open labels: %w", err))
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, mostLabelBytes)
	labelled := 0
	for line := 1; lines.Scan(); line++ {
		columns := strings.Split(strings.TrimSuffix(lines.Text(), "\r"), "\t")
		if len(columns) == 1 { // ids without spaces are often separated by one
			columns = strings.Fields(columns[0])
		}
		if len(columns) == 0 {
			continue
		}
		if len(columns) < 2 {
			return fmt.Errorf("read %s: line %d: two columns are expected, separated by a tab", path, line)
		}
		for i := range columns {
			columns[i] = outfile.UnescapeTSV(columns[i])
		}
		if err := visit(line, columns); err != nil {
			return err
		}
		labelled++
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	if labelled == 0 {
		return fmt.Errorf("read %s: there are no labels", path)
	}
	return nil
}

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
	topic bool   // documents are those of a topic
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
