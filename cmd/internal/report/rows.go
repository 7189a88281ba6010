package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"

	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/cmd/internal/terminal"
)

// Rows say where documents are, by their numbers: in which file, and in which row. Documents whose rows follow one another
// take no memory. So this costs some 40 bytes for each file, for each blank line between documents, and for each other gap.
type Rows struct {
	runs []rowRun
	next int64 // number of the document that is added next
}

// rowRun is a run of rows, of documents that follow one another.
type rowRun struct {
	number int64 // of the first one
	file   string
	row    int // of the first one; 0 for files that are a document each, whose names are known otherwise
}

// Add adds the place of a document. Documents come in the order of their numbers; one that was added before is passed over.
func (p *Rows) Add(number int64, file string, row int) {
	if number < p.next {
		return
	}
	p.next = number + 1
	if row == 0 {
		file = ""
	}
	if len(p.runs) > 0 {
		last := &p.runs[len(p.runs)-1]
		if last.file == file && (row == 0 || last.row+int(number-last.number) == row) {
			return
		}
	}
	p.runs = append(p.runs, rowRun{number, file, row})
}

// Next is the number of the first document that has no place yet.
func (p *Rows) Next() int64 { return p.next }

// Of returns the place of a document of this name: row is 0 for a file that is one document, and file is empty if nothing is
// known.
func (p *Rows) Of(number int64, name string) (file string, row int) {
	i := sort.Search(len(p.runs), func(i int) bool { return p.runs[i].number > number }) - 1
	if i < 0 || number >= p.next {
		return "", 0
	}
	run := &p.runs[i]
	if run.row == 0 {
		return name, 0
	}
	return run.file, run.row + int(number-run.number)
}

type rowsLine struct {
	Sum  uint64          `json:"xxhash"` // of the runs
	Next int64           `json:"next"`
	Runs json.RawMessage `json:"runs"`
}

// runLine is a run in it.
type runLine struct {
	Number int64  `json:"number"`
	File   []byte `json:"file,omitempty"` // its name need not be UTF-8
	Row    int    `json:"row,omitempty"`
}

// Write writes the places as a line.
func (p *Rows) Write(out io.Writer) error {
	runs := make([]runLine, len(p.runs))
	for i, r := range p.runs {
		runs[i] = runLine{r.number, []byte(r.file), r.row}
	}
	data, err := json.Marshal(runs)
	if err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(rowsLine{xxhash.Sum64(data), p.next, data})
}

// errRows is returned for places that are not as they were written.
var errRows = errors.New("the places of its documents are damaged")

// ReadRows reads what Write wrote.
func ReadRows(in io.Reader) (p Rows, err error) {
	var line rowsLine
	if err := json.NewDecoder(in).Decode(&line); err != nil {
		return p, fmt.Errorf("%w: %w", errRows, err)
	}
	var runs []runLine
	if err := json.Unmarshal(line.Runs, &runs); err != nil || xxhash.Sum64(line.Runs) != line.Sum {
		return p, errors.Join(errRows, err)
	}
	p.next = line.Next
	for _, r := range runs {
		p.runs = append(p.runs, rowRun{r.Number, string(r.File), r.Row})
	}
	return p, nil
}

// Repeats finds names that several documents have. It remembers a sample of names that is bounded: those whose hashes are small,
// of all documents alike. So few documents are all remembered, and of many it sees that their names begin anew in each
// file, but not that two of them have one name.
type Repeats struct {
	met   map[uint64]int64 // hash of a name -> number of its first document
	most  uint64           // the largest hash that is remembered
	count map[uint64]int64 // hash -> how many documents more have the name
	name  string           // the first that was found
	of    [2]int64         // its first two documents
}

// mostMet is how many names are remembered. They take some 3 MiB.
const mostMet = 1 << 16

// Add adds the document of a number.
func (r *Repeats) Add(number int64, name []byte, at *Rows) {
	if r.met == nil {
		r.met, r.count, r.most = map[uint64]int64{}, map[uint64]int64{}, math.MaxUint64
	}
	hash := xxhash.Sum64(name)
	if hash > r.most {
		return
	}
	first, known := r.met[hash]
	if !known {
		r.met[hash] = number
		r.shrink()
		return
	}
	file, row := at.Of(number, string(name))
	if before, where := at.Of(first, string(name)); before == file && where == row { // a file that is read twice
		return
	}
	if r.name == "" {
		r.name, r.of = string(name), [2]int64{first, number}
	}
	r.count[hash]++
}

// shrink forgets half of the names when they are too many.
func (r *Repeats) shrink() {
	for len(r.met) > mostMet {
		r.most /= 2
		for hash := range r.met {
			if hash > r.most {
				delete(r.met, hash)
				delete(r.count, hash)
			}
		}
	}
}

// Report says that documents have the same name, if there are such.
func (r *Repeats) Report(out io.Writer, at *Rows) {
	if r.name == "" {
		return
	}
	more := int64(0)
	for _, n := range r.count {
		more += n
	}
	about := ""
	if r.most < math.MaxUint64 {
		about = "about "
		more = max(1, int64(float64(more)*math.MaxUint64/float64(r.most)))
	}
	place := func(number int64) string {
		file, row := at.Of(number, r.name)
		return terminal.Printable(fmt.Sprintf("%s:%d", file, row), terminal.LongLine)
	}
	fmt.Fprintf(out, "unecho: ids are not unique: %s is that of %s and of %s, and %s%s %s the id of one before; the outputs have file and "+
		"row beside each id, which tell them apart (--id '' calls all documents by these)\n",
		terminal.Printable(r.name, terminal.LongLine), place(r.of[0]), place(r.of[1]), about, terminal.Several(int(more), "document"),
		terminal.Verb(int(more), "has", "have"))
}
