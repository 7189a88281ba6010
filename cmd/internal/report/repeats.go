package report

import (
	"fmt"
	"io"
	"math"

	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/cmd/internal/terminal"
)

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
	fmt.Fprintf(out, "unecho: ids are not unique: %s is that of %s and of %s, and %s%s the id of one before; the outputs have file and "+
		"row beside each id, which tell them apart (--id '' calls all documents by these)\n",
		terminal.Printable(r.name, terminal.LongLine), place(r.of[0]), place(r.of[1]), about, has(more))
}

func has(n int64) string {
	if n == 1 {
		return terminal.Several(int(n), "document") + " has"
	}
	return terminal.Several(int(n), "document") + " have"
}
