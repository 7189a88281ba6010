package explain

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/window"
)

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
