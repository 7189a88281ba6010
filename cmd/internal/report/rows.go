package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sort"

	"github.com/cespare/xxhash/v2"
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
