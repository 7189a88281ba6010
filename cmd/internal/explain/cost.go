package explain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
	"github.com/unecho/unecho/index/window"
)

// Costs is what a document costs under the bands that are planned, and under others that keep recall.
type Costs struct {
	Documents int    `json:"documents"` // in the window that was planned for
	Measured  bool   `json:"measured"`  // how unlike documents are was measured in the sample, and is not that of news
	Bandings  []cost `json:"bandings"`
}

// cost is what a document costs under a banding, ns.
type cost struct {
	Bands      int     `json:"bands"`
	Rows       int     `json:"rows"`
	Slots      float64 `json:"slots_ns"`
	Keys       float64 `json:"keys_ns"`
	Met        float64 `json:"candidates"`
	Candidates float64 `json:"candidates_ns"`
	Sum        float64 `json:"sum_ns"`
	Planned    bool    `json:"planned,omitempty"`
	Cheapest   bool    `json:"cheapest,omitempty"`
}

// likeness finds how similar documents are that are no copies, and how many of their pairs are candidates, by some documents of
// the sample.
type likeness struct {
	params     index.DuplicatesParams
	normalizer *text.Normalizer
	shingling  text.Shingling
	random     *rand.Rand
	seen       int
	sets       [][]uint64 // of the documents that were drawn
	keys       [][]byte   // and their band keys
}

func newLikeness(p index.Params) (likeness, error) {
	shingling, err := p.Duplicates.Shingling()
	return likeness{
		params: p.Duplicates, normalizer: text.NewNormalizer(p.Normalize), shingling: shingling,
		random: rand.New(rand.NewPCG(1, 1)), // a sample, always the same
	}, err
}

// mostMet is how many documents of the sample are compared with each other: half a million pairs.
const mostMet = 1000

// add takes a document with its band keys. Of more than mostMet each is kept with the same chance.
func (l *likeness) add(r *corpus.Record, keys []byte) {
	at := l.seen
	if l.seen++; at < mostMet {
		l.sets, l.keys = append(l.sets, nil), append(l.keys, nil)
	} else if at = l.random.IntN(l.seen); at >= mostMet {
		return
	}
	l.sets[at] = text.Set(l.shingling.AppendHashes(nil, l.params.Compared(l.normalizer.Append(nil, r.Text))))
	l.keys[at] = slices.Clone(keys)
}

// leastSample is how many documents tell how alike unlike ones are: with fewer, pairs that are alike are too rare.
const leastSample = 100

// hundredths is into how many steps similarities are counted.
const hundredths = 100

// background returns the shares of the pairs by their similarity, without those that are copies; ok is false if the
// sample is too small.
func (l *likeness) background(threshold float64) (shares []sketch.Share, ok bool) {
	if len(l.sets) < leastSample {
		return nil, false
	}
	var pairs int
	var found [hundredths + 1]int
	for i, a := range l.sets {
		for _, b := range l.sets[:i] {
			shared, union := sketch.Jaccard(a, b)
			pairs++
			if s := float64(shared) / float64(union); s < threshold {
				found[int(s*hundredths)]++
			}
		}
	}
	for at, n := range found {
		if n > 0 {
			middle := (float64(at) + 0.5) / hundredths
			if at == 0 {
				middle = 0 // most of them share nothing
			}
			shares = append(shares, sketch.Share{Share: float64(n) / float64(pairs), Similarity: middle})
		}
	}
	return shares, true
}

// neighbours is how many bandings of fewer rows, and of more, are shown beside the one that is planned.
const neighbours = 2

// load is what bands are planned for, by how similar the documents of the sample are if it is large enough.
func (p *Plan) load() (load sketch.Load, measured bool) {
	load = p.given.Load()
	if _, params, err := p.given.Duplicates.Scheme(); err == nil {
		if shares, ok := p.likeness.background(params.Threshold); ok {
			load.Background, measured = shares, true
		}
	}
	return load, measured
}

// costs finds what the bands cost that keep recall. It returns nil where none are planned: for a sketch by distance.
func (p *Plan) costs(banding sketch.Banding) (*Costs, error) {
	_, params, err := p.given.Duplicates.Scheme()
	if err != nil {
		return nil, err
	}
	all, err := sketch.Bandings(params.Threshold, params.Recall)
	if err != nil {
		return nil, nil //nolint:nilerr // bands were set by hand where none can be planned
	}
	load, measured := p.load()
	c := &Costs{Documents: load.Documents, Measured: measured}
	if !slices.Contains(all, banding) {
		all = append(all, banding)
		slices.SortFunc(all, func(a, b sketch.Banding) int { return a.Rows - b.Rows })
	}
	cheapest, _ := load.Cheapest(all) // where all meet more than is read, none is called the least
	at := slices.Index(all, banding)
	for i, b := range all {
		if near := i >= at-neighbours && i <= at+neighbours; !near && b != cheapest {
			continue
		}
		of := load.Cost(b)
		c.Bandings = append(c.Bandings, cost{
			Bands: b.Bands, Rows: b.Rows, Slots: of.Slots, Keys: of.Bands, Met: of.Met, Candidates: of.Candidates, Sum: of.Sum(),
			Planned: b == banding, Cheapest: b == cheapest,
		})
	}
	return c, nil
}

// write writes the costs for people. most is duplicates.max_references.
func (c *Costs) write(b *strings.Builder, most int) {
	of := "of news"
	if c.Measured {
		of = "in the sample"
	}
	fmt.Fprintf(b, "\nnanoseconds a document, in a window of %d documents that are no more alike than those %s\n", c.Documents, of)
	w := tabwriter.NewWriter(b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "bands\trows\tslots\tkeys\tunlike candidates\tsum\t")
	bounded := false
	for _, k := range c.Bandings {
		note := ""
		switch {
		case k.Planned && k.Cheapest:
			note = "  planned"
		case k.Planned:
			note = "  these settings"
		case k.Cheapest:
			note = "  the least"
		}
		fmt.Fprintf(w, "%d\t%d\t%.0f\t%.0f\t%.0f of %.1f\t%.0f\t%s\n", k.Bands, k.Rows, k.Slots, k.Keys, k.Candidates, k.Met,
			k.Sum, note)
		bounded = bounded || k.Met > float64(most)
	}
	_ = w.Flush() // a Builder takes everything
	if bounded {
		fmt.Fprintf(b, "duplicates.max_references lets %d of them be met under a key: a document costs less, and its copy may be missed\n", most)
	}
}

// writeFound writes the S-curve: how likely two documents of a similarity become candidates. With verify: levenshtein
// that depends on where the edits are.
func (p *Plan) writeFound(b *strings.Builder) {
	if len(p.Found) == 0 {
		b.WriteString("the share that is found is not known: verify: levenshtein has no plan for words\n")
		return
	}
	line := func(name, format string, value func(f found) float64) {
		b.WriteString(name)
		for _, f := range p.Found {
			fmt.Fprintf(b, format, value(f))
		}
		b.WriteString("\n")
	}
	line("similarity ", " %6.2f", func(f found) float64 { return f.Similarity })
	line("found      ", " %6.4f", func(f found) float64 { return f.Share })
	if p.Found[0].Least == nil {
		return
	}
	line("at worst   ", " %6.4f", func(f found) float64 {
		if f.Least == nil {
			return f.Share
		}
		return *f.Least
	})
	b.WriteString("found is where edits fall by chance, at worst where they are spread evenly over the text\n")
}

// candidates returns the share of pairs that share a band key; nil if there is no pair.
func (l *likeness) candidates() *float64 {
	candidates, pairs := 0, 0
	for i, a := range l.keys {
		for _, b := range l.keys[:i] {
			pairs++
			if entry.ShareBand(a, b) {
				candidates++
			}
		}
	}
	if pairs == 0 {
		return nil
	}
	share := float64(candidates) / float64(pairs)
	return &share
}

// filed is what a member takes that keeps old documents in files.
type filed struct {
	window.Sizing
	MemoryBytes int64   `json:"memory"`
	DiskBytes   int64   `json:"disk"`
	Mean        float64 `json:"reads"`      // of a document
	DiskReads   int     `json:"disk_reads"` // a second
	Carried     float64 `json:"carried"`    // documents a second
}

// InFiles adds to a finished plan what a member takes that keeps old documents in files, on a disk of so many reads a second.
func (p *Plan) InFiles(reads int) error {
	params, documents := p.params, p.Documents
	remember := &params.Duplicates.Remember
	switch {
	case p.asked: // the bounds are to be set so that the window holds them
		remember.Memory, remember.Documents = setting.Bytes(p.WindowBytes), 0
	case remember.Documents > 0:
		documents = min(documents, int64(remember.Documents))
	}
	load, _ := p.load()
	s, err := index.SizingOf(params, p.Parts, documents, load)
	if err != nil {
		return err
	}
	p.Filed = &filed{s, s.Memory(), s.Disk(), s.Reads(), reads, s.Carried(float64(reads), math.Inf(1))}
	return nil
}

// write writes it for people.
func (f *filed) write(b *strings.Builder) {
	b.WriteString("\nin duplicates.remember.directory\n")
	line := func(indent string, bytes int64, what string, args ...any) {
		fmt.Fprintf(b, "%s%11s  "+what+"\n", append([]any{indent, terminal.Gibibytes(bytes)}, args...)...)
	}
	line("", f.MemoryBytes, "of memory at most, and half a GiB for the process")
	line("  ", f.Filters, "filters of keys")
	line("  ", f.Places, "where records begin, counts of copies, checksums")
	line("  ", f.Newest, "the newest %d documents, which tables find", f.Tail)
	line("  ", f.Making, "while a block is made")
	line("", f.DiskBytes, "of the disk at most")
	line("  ", f.Segments, "documents")
	line("  ", f.Postings, "postings")
	line("  ", f.Merging, "free, to merge blocks")
	fmt.Fprintf(b, "a new document takes %.1f reads of 4 KiB, the same text as an old one %.1f more: %.1f if %.0f %% are such\n",
		f.New, f.Copy, f.Mean, 100*window.CopiedShare)
	fmt.Fprintf(b, "a disk of %d reads a second carries %.0f documents/s: unecho doctor --disk measures yours\n", f.DiskReads, f.Carried)
	fmt.Fprintf(b, "a new member is ready after about %v\n", time.Duration(f.Ready*float64(time.Second)).Round(time.Second))
}
