package dedup

import (
	"fmt"
	"io"
	"math"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/setting"
)

// Estimate is what a sample of files says of all of them, before they are read.
type Estimate struct {
	Documents float64 // rejected ones too
	Bytes     float64 // that the index takes if none of them is a copy
}

// Estimate samples files under the settings of the index, as they were planned.
func (i *Input) Estimate(p index.Params) (e Estimate, err error) {
	signer, err := index.NewSigner(p)
	if err != nil {
		return e, fmt.Errorf("estimate: %w", err)
	}
	var place Estimate
	var name []byte
	corpus.Sample(i.Params, i.Files, func(r *corpus.Record) {
		place.Documents++
		name = r.Name(name[:0], i.Named)
		signed := entry.Entry{Scope: r.Scope, ID: name, Offset: math.MaxInt32} // its length counts
		if r.Bad == nil && signer.Sign(&signed, r.Text) && !signed.Empty() {
			place.Bytes += float64(index.EntryBytes(p, &signed))
		}
		signer.Reset()
	}, func(times float64) {
		e.Documents += times * place.Documents
		e.Bytes += times * place.Bytes
		place = Estimate{}
	})
	return e, nil
}

// mostGrown is how many times as large as its files an index is taken to be at most, before they are sampled: that of
// documents of some ten bytes, or compressed ones of some hundreds.
const mostGrown = 64

// estimate tells, before anything is judged, if the memory clearly does not suffice, or the directory. It tells nothing of
// what cannot be known: of pipes and lists of files.
func (p *Pass) estimate(of index.Params, memory setting.Bytes, inputs ...*Input) error {
	all := Estimate{Bytes: float64(p.index.Stats().WindowBytes)} // of an index file
	size := int64(0)
	for _, in := range inputs {
		if in == nil {
			continue
		}
		if len(in.Files) == 0 {
			return nil
		}
		size += in.Size
	}
	if size < int64(memory)/mostGrown {
		return nil
	}
	for _, in := range inputs {
		if in == nil {
			continue
		}
		e, err := in.Estimate(of)
		if err != nil {
			return err
		}
		all.Documents, all.Bytes = all.Documents+e.Documents, all.Bytes+e.Bytes
	}
	if all.Documents > 0 {
		all.print(p.Notes, memory, p.index.params.Directory)
	}
	return nil
}

// clearly is how many times the memory an index must be estimated at before a run warns: copies take none,
// and the estimate is only about right.
const clearly = 2

func (e Estimate) print(out io.Writer, memory setting.Bytes, directory *files.Directory) {
	documents, need := terminal.Grouped(int(rounded(e.Documents))), terminal.Size(int64(e.Bytes))
	switch parts := e.Bytes / float64(memory); {
	case directory != nil:
		if free, err := directory.Free(); err == nil && parts > 1 && e.Bytes > float64(free) { // else writing will tell
			fmt.Fprintf(out, "unecho: about %s documents, whose index takes about %s if none is a copy, and --directory has room for %s: "+
				"the run may end when that is full\n", documents, need, terminal.Gibibytes(free))
		}
	case parts >= clearly:
		fmt.Fprintf(out, "unecho: about %s documents, whose index takes about %s if none is a copy, and may take %s: the run may end when "+
			"that is full; raise --memory, add --directory, or keep less of each document by --verify estimate\n", documents, need, memory)
	}
}

// rounded has two digits: it is an estimate.
func rounded(n float64) float64 {
	unit := math.Pow(10, max(math.Floor(math.Log10(max(n, 1)))-1, 0))
	return math.Round(n/unit) * unit
}
