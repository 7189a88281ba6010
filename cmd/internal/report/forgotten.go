package report

import (
	"fmt"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/removal"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/sink"
)

// Forgotten is what a removal did, or would do.
type Forgotten struct {
	DryRun    bool                `json:"dry_run"`
	Documents []ForgottenDocument `json:"documents"`
	Unknown   []string            `json:"unknown"`
	// Offset is the journal offset from which on the documents are forgotten; 0 if nothing was appended.
	Offset int64   `json:"journal_offset,omitempty"`
	Still  Remains `json:"still_in"`
}

// ForgottenDocument is a document that is forgotten.
type ForgottenDocument struct {
	Coordinates string `json:"coordinates"`
	ID          string `json:"id,omitempty"`
	Copies      int    `json:"copies"`         // that are remembered as well
	Copy        bool   `json:"copy,omitempty"` // it is a copy of a document that was named
}

// Remains says where a document is besides memory.
type Remains struct {
	Topics    []string      `json:"topics"` // sources.pattern stands for those that it brings
	Journal   string        `json:"journal"`
	Snapshots int           `json:"snapshots"` // that are kept, and replaced one after another
	Every     time.Duration `json:"-"`         // a snapshot is taken so often after an erasure
	Within    string        `json:"snapshots_within"`
}

// RemainsOf says where the documents of a service are besides memory.
func RemainsOf(c config.Config) Remains {
	c.Sink.Clusters.Topic = "" // it has nothing of a document
	r := Remains{Journal: c.Journal.Name(c.Consumer.Group), Snapshots: snapshot.Kept, Every: c.Snapshot.Taken.Every}
	for _, source := range document.Named(c.Sources) {
		r.Topics = append(append(r.Topics, source), c.Sink.All(source)...)
	}
	for i := range c.Sources {
		if pattern := c.Sources[i].Pattern; pattern != "" {
			r.Topics = append(append(r.Topics, pattern), c.Sink.All(sink.Placeholder)...)
		}
	}
	return r
}

// NewForgotten tells of what was found.
func NewForgotten(f *removal.Found, still Remains) Forgotten {
	r := Forgotten{Documents: make([]ForgottenDocument, len(f.Documents)), Unknown: append([]string{}, f.Unknown...), Still: still}
	for i := range f.Documents {
		d := &f.Documents[i]
		r.Documents[i] = ForgottenDocument{Coordinates: d.Coordinates(), ID: d.ID, Copies: d.Copies, Copy: d.Copy}
	}
	r.Still.Within = still.within().String()
	return r
}

// within returns how long it takes at most until no snapshot has it: as many newer ones are taken as are kept, one
// every interval, and the segments of the others are deleted when their grace is over, at the next interval.
func (r *Remains) within() time.Duration {
	return time.Duration(r.Snapshots+2)*r.Every + snapshot.Grace
}

// nameColumns bounds how much of a name is shown.
const nameColumns = 200

// Text is for people.
func (r Forgotten) Text() string {
	var b strings.Builder
	verb := "forgotten"
	if r.DryRun {
		verb = "would be forgotten"
	}
	kept := 0
	for i := range r.Documents {
		d := &r.Documents[i]
		fmt.Fprintf(&b, "%s: %s", verb, terminal.Printable(d.Coordinates, nameColumns))
		if d.ID != "" {
			fmt.Fprintf(&b, ", id %s", terminal.Printable(d.ID, nameColumns))
		}
		if d.Copy {
			b.WriteString(", a copy")
		}
		b.WriteString("\n")
		kept += d.Copies
	}
	for _, name := range r.Unknown {
		fmt.Fprintf(&b, "not remembered: %s\n", terminal.Printable(name, nameColumns))
	}
	if r.Offset > 0 {
		r.writeRemains(&b, kept)
	}
	return b.String()
}

func (r Forgotten) writeRemains(b *strings.Builder, copies int) {
	fmt.Fprintf(b, "each member erases it when it reads journal offset %d: nothing matches it from there on\n", r.Offset)
	for i := range r.Documents {
		if r.Documents[i].Copy {
			copies--
		}
	}
	if copies > 0 {
		fmt.Fprintf(b, "%d of its copies are remembered: nothing matches them either, and --copies erases them as well\n", copies)
	}
	fmt.Fprintf(b, "it is still in the topics %s: delete it there by their retention or by tombstones\n",
		strings.Join(r.Still.Topics, ", "))
	fmt.Fprintf(b, "it is still in journal %s until members trim it, and in the snapshots there are: %d newer ones "+
		"replace them, and the store has deleted them within %s of members at work\n",
		r.Still.Journal, r.Still.Snapshots, r.Still.Within)
}
