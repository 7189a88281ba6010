package snapshots

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
)

// Detail is the output of show. Its JSON is a promise to scripts.
type Detail struct {
	Line
	Index       string          `json:"index"`
	Fingerprint string          `json:"fingerprint"`
	Settings    json.RawMessage `json:"settings"` // null before the journal's first settings record
	Routing     json.RawMessage `json:"routing"`  // null before the first routing
	Partitions  []Source        `json:"partitions"`
	Segments    []Segment       `json:"segments"`

	routing uint32 // the routing's number
}

// Source is a source partition of a snapshot.
type Source struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Epoch     uint32 `json:"epoch"`
	Start     int64  `json:"start"`
	Base      int64  `json:"base"`
	Held      int    `json:"held"`
}

// Segment is a segment of a snapshot.
type Segment struct {
	Number    uint64 `json:"number"`
	Sealed    bool   `json:"sealed"`
	Documents int    `json:"documents"`
	Bytes     int64  `json:"bytes"`
	Name      string `json:"name"`
}

// DetailOf returns the detail of a snapshot whose state and settings are decoded already.
func DetailOf(info snapshot.Info, m *snapshot.Manifest, state *index.Restore, settings []byte) Detail {
	d := Detail{
		Line: LineOf(info), Index: m.Index, Fingerprint: fmt.Sprintf("%016x", m.Fingerprint), Settings: settings,
		Partitions: []Source{}, Segments: []Segment{},
	}
	if routes := state.Routes(); routes.Number > 0 {
		d.Routing, d.routing = routes.Text, routes.Number
	}
	for _, p := range state.Partitions() {
		d.Partitions = append(d.Partitions, Source{
			Topic: p.Topic, Partition: p.Source.Partition, Epoch: p.Epoch, Start: p.Start, Base: p.Base, Held: p.Held,
		})
	}
	slices.SortFunc(d.Partitions, func(a, b Source) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
	for _, s := range m.Segments {
		d.Segments = append(d.Segments, Segment{
			Number: s.Number, Sealed: s.Sealed, Documents: s.Documents, Bytes: s.Bytes,
			Name: s.Name,
		})
	}
	return d
}

// Text is the detail for people. Others stored it, so what does not print is escaped.
func (d *Detail) Text() string {
	var b strings.Builder
	for _, row := range [][2]string{
		{"offset", fmt.Sprint(d.Offset)},
		{"journal", fmt.Sprintf("%s, leader epoch %d", d.Journal, d.LeaderEpoch)},
		{"index", terminal.Printable(d.Index, terminal.LongLine)},
		{"taken", d.Taken},
		{"published", d.Published},
		{"documents", fmt.Sprintf("%s in %s, %s", terminal.Grouped(int(d.Documents)), terminal.Several(len(d.Segments), "segment"), terminal.Mebibytes(d.Bytes))},
		{"fingerprint", d.Fingerprint},
	} {
		fmt.Fprintf(&b, "%-12s %s\n", row[0], row[1])
	}
	b.WriteString("\nsettings\n")
	WriteSettings(&b, d.Settings)
	fmt.Fprintf(&b, "\nrouting %d\n", d.routing)
	WriteSettings(&b, d.Routing)
	b.WriteString("\nsource partitions\n")
	for _, p := range d.Partitions {
		fmt.Fprintf(&b, "  %s/%d  epoch %d from offset %d, base %d, %d held\n",
			terminal.Printable(p.Topic, terminal.LongLine), p.Partition, p.Epoch, p.Start, p.Base, p.Held)
	}
	b.WriteString("\nsegments\n")
	for _, s := range d.Segments {
		fmt.Fprintf(&b, "  %d  %s  %s documents, %s, %s\n", s.Number, sealedWord(s.Sealed), terminal.Grouped(s.Documents),
			terminal.Mebibytes(s.Bytes), s.Name[:16])
	}
	return terminal.Harmless(b.String())
}

func sealedWord(sealed bool) string {
	if sealed {
		return "sealed"
	}
	return "open  "
}

// WriteSettings writes canonical settings, one on each line.
func WriteSettings(b *strings.Builder, canonical []byte) {
	var values map[string]any
	if json.Unmarshal(canonical, &values) != nil {
		fmt.Fprintf(b, "  none yet\n")
		return
	}
	keys, width := slices.Sorted(maps.Keys(values)), 28
	for _, k := range keys {
		width = max(width, len(k)+1)
	}
	for _, k := range keys {
		text, err := json.Marshal(values[k])
		if err == nil {
			fmt.Fprintf(b, "  %-*s %s\n", width, k, text)
		}
	}
}
