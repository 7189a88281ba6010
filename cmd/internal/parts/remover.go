package parts

import (
	"context"
	"errors"
	"fmt"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index/text"
)

// Outcome is what became of a document. It and its slices are valid until the next one.
type Outcome struct {
	Name     []byte
	File     string
	Row      int    // its number in the file; 0 for a file that is one document
	Line     int    // where it begins; 0 where there are no lines
	Header   []byte // the first line of its table; stays valid
	Raw      []byte // the document without what was removed; as it was in the file if nothing was, or nothing is left
	Rejected *document.Rejection
	Removed  []Removed
	Emptied  bool // nothing is left
	Parts    int  // how many parts it had
}

// Removed is a part that was removed.
type Removed struct {
	Text  []byte
	At    int    // where it was in the document's texts, with a line break between each two, in bytes
	First []byte // name of the document that has the first such part

	FirstFile string // where that is
	FirstRow  int
}

// Remover removes repeated parts.
type Remover struct {
	params  Params
	counted int64 // documents that were counted
	table   table
	number  uint32 // number of the next document
	places  report.Rows
	names   []byte
	ends    []int64 // document -> where its name ends

	removed []Removed
	cut     []part
	ranges  []corpus.Range
	raw     []byte
}

// Stats are what a Remover has seen so far.
type Stats struct {
	Remembered int64 `json:"remembered"`       // different parts that were long enough
	Bytes      int64 `json:"remembered_bytes"` // what they take
}

// New builds a Remover that has met no part.
func New(p Params) *Remover {
	p.Text.MaxBytes = 0 // parts with a common front are not the same
	return &Remover{params: p, table: table{memory: p.Memory}}
}

// Counts says whether documents are to be counted before parts are removed.
func (r *Remover) Counts() bool { return r.params.Repeats > 2 }

// Stats returns what was seen so far.
func (r *Remover) Stats() Stats { return Stats{Remembered: r.table.count(), Bytes: r.table.bytes()} }

// count counts the parts of a document, in the first of two passes.
func (r *Remover) count(j *job, d *taken) error {
	for i := d.parts[0]; i < d.parts[1]; i++ {
		times, err := r.table.at(j.parts[i].key)
		if err != nil {
			return err
		}
		if *times < uint32(r.params.Repeats) {
			*times++
		}
	}
	return nil
}

// remove removes the parts of a document that were met before.
func (r *Remover) remove(j *job, d *taken) (*Outcome, error) {
	if r.number == mostDocuments {
		return nil, errors.New("these are more than four thousand million documents: give them several runs")
	}
	if err := r.remember(d.Name); err != nil {
		return nil, err
	}
	r.places.Add(int64(r.number), d.File, d.Row)
	r.cut, r.removed = r.cut[:0], r.removed[:0]
	text, before := 0, 0 // the text of the part, and the bytes of the texts before it
	for i := d.parts[0]; i < d.parts[1]; i++ {
		p := &j.parts[i]
		for ; text < int(p.text); text++ {
			before += len(j.texts[d.texts[0]+text]) + 1
		}
		value, err := r.table.at(p.key)
		if err != nil {
			return nil, err
		}
		switch *value {
		case rare:
		case 0, unseen:
			*value = r.number + documents
		default:
			r.cut = append(r.cut, *p)
			first := r.name(*value - documents)
			file, row := r.places.Of(int64(*value-documents), string(first))
			r.removed = append(r.removed, Removed{
				Text: j.texts[d.texts[0]+int(p.text)][p.start:p.end], At: before + int(p.start), First: first, FirstFile: file, FirstRow: row,
			})
		}
	}
	r.number++
	d.Removed, d.Emptied = r.removed, len(r.cut) > 0 && len(r.cut) == d.Parts
	if len(r.cut) > 0 && !d.Emptied {
		r.write(j, d)
	}
	return &d.Outcome, nil
}

// nameBytes is what a name takes beside its own bytes.
const nameBytes = 8

func (r *Remover) remember(name []byte) error {
	more := int64(len(name)) + nameBytes
	if r.table.bytes()+more > int64(r.table.memory) {
		return fmt.Errorf("%w of %s: raise --memory; the names of documents take it", errMemory, r.table.memory)
	}
	r.table.beside += more
	r.names = append(r.names, name...)
	r.ends = append(r.ends, int64(len(r.names)))
	return nil
}

func (r *Remover) name(number uint32) []byte {
	from := int64(0)
	if number > 0 {
		from = r.ends[number-1]
	}
	return r.names[from:r.ends[number]]
}

// write makes the document anew without the parts that are cut.
func (r *Remover) write(j *job, d *taken) {
	r.raw = r.raw[:0]
	from, cut := 0, r.cut
	for i, span := range j.spans[d.texts[0]:d.texts[1]] {
		n := 0
		for n < len(cut) && int(cut[n].text) == i {
			n++
		}
		if n == 0 {
			continue
		}
		r.ranges = ranges(r.ranges[:0], j.texts[d.texts[0]+i], cut[:n])
		r.raw = append(r.raw, d.Raw[from:span.Start]...)
		r.raw = span.AppendWithout(r.raw, d.Raw, r.ranges)
		from, cut = span.End, cut[n:]
	}
	r.raw = append(r.raw, d.Raw[from:]...)
	d.Raw = r.raw
}

// Count counts the parts of all documents. each is called for each of them, which have no Outcome yet.
func (r *Remover) Count(ctx context.Context, in *corpus.Reader, each func()) error {
	err := r.run(ctx, in, func(j *job, d *taken) error {
		each()
		r.counted++
		return r.count(j, d)
	})
	if err == nil && ctx.Err() == nil {
		r.table.replaceCounts(uint32(r.params.Repeats)) // 2 and more
	}
	return err
}

// Remove removes repeated parts from all documents, and calls each with what became of each, in their order, from the
// calling goroutine. It ends with the first error, or when ctx is done. Where documents were counted before, it is an
// error if they are more or fewer now.
func (r *Remover) Remove(ctx context.Context, in *corpus.Reader, each func(*Outcome) error) error {
	read := int64(0)
	err := r.run(ctx, in, func(j *job, d *taken) error {
		if read++; r.Counts() && read > r.counted {
			return fmt.Errorf("%w: there were %s, and now there are more", errChanged, terminal.Several(int(r.counted), "document"))
		}
		o, err := r.remove(j, d)
		if err != nil {
			return err
		}
		return each(o)
	})
	if err == nil && ctx.Err() == nil && r.Counts() && read < r.counted {
		return fmt.Errorf("%w: there were %s, and now there are %d", errChanged, terminal.Several(int(r.counted), "document"), read)
	}
	return err
}

var errChanged = errors.New("the files changed between their two readings; run it again when nothing writes them")

func (r *Remover) run(ctx context.Context, in *corpus.Reader, visit func(*job, *taken) error) error {
	jobs := make([]*job, r.params.Workers*corpus.JobsEach)
	for i := range jobs {
		jobs[i] = &job{params: &r.params, normal: text.NewNormalizer(r.params.Text)}
	}
	return corpus.Work(ctx, in, r.params.Workers, jobs, false, func(j *job) error {
		visited := 0
		for ; visited < len(j.cases) && ctx.Err() == nil; visited++ {
			if err := visit(j, &j.cases[visited]); err != nil {
				return err
			}
		}
		if visited < len(j.cases) { // who cancelled knows why
			return nil
		}
		return j.err
	})
}
