package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
)

func snapshotShowCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show [OFFSET]",
		Short: "Show a snapshot: settings, source partitions, segments",
		Long:  "Show what the snapshot at OFFSET (default the newest) holds: settings, source partitions, segments. It reads the manifest only.",
		Example: "  unecho snapshot show --config unecho.yaml\n" +
			"  unecho snapshot show 128 --directory /var/lib/unecho/snapshots --json",
		Args: atMost(1, "one OFFSET"),
		RunE: onStore(openExisting, showSnapshot),
	}
	cmd.Flags().Bool("json", false, "write one JSON object")
	addJournalFlag(cmd)
	addStoreFlags(cmd)
	return cmd
}

// snapshotDetail is what show tells. Its JSON is a promise to scripts.
type snapshotDetail struct {
	snapshotLine
	Index       string            `json:"index"`
	Fingerprint string            `json:"fingerprint"`
	Settings    json.RawMessage   `json:"settings"` // null before the journal's first settings record
	Routing     json.RawMessage   `json:"routing"`  // null before the first routing
	Partitions  []sourceLine      `json:"partitions"`
	Segments    []snapshotSegment `json:"segments"`

	routing uint32 // its number
}

type sourceLine struct {
	Topic     string `json:"topic"`
	Partition int32  `json:"partition"`
	Epoch     uint32 `json:"epoch"`
	Start     int64  `json:"start"`
	Base      int64  `json:"base"`
	Held      int    `json:"held"`
}

type snapshotSegment struct {
	Number    uint64 `json:"number"`
	Sealed    bool   `json:"sealed"`
	Documents int    `json:"documents"`
	Bytes     int64  `json:"bytes"`
	Name      string `json:"name"`
}

func showSnapshot(ctx context.Context, v *storeVerb, args []string) error {
	info, err := v.pick(ctx, args)
	if err != nil {
		return err
	}
	m, err := v.store.Manifest(ctx, info.Position)
	if err != nil {
		return err
	}
	state, settings, err := stateOf(&m)
	if err != nil {
		return fmt.Errorf("read snapshot at %v: %w", info.Position, err)
	}
	d := detailOf(info, &m, state, settings)
	if flagBool(v.cmd, "json") {
		return json.NewEncoder(v.cmd.OutOrStdout()).Encode(d)
	}
	return d.writeText(v.cmd.OutOrStdout())
}

func detailOf(info snapshot.Info, m *snapshot.Manifest, state *index.Restore, settings []byte) snapshotDetail {
	d := snapshotDetail{
		snapshotLine: lineOf(info), Index: m.Index, Fingerprint: fmt.Sprintf("%016x", m.Fingerprint), Settings: settings,
		Partitions: []sourceLine{}, Segments: []snapshotSegment{},
	}
	if routes := state.Routes(); routes.Number > 0 {
		d.Routing, d.routing = routes.Text, routes.Number
	}
	for _, p := range state.Partitions() {
		d.Partitions = append(d.Partitions, sourceLine{
			Topic: p.Topic, Partition: p.Source.Partition, Epoch: p.Epoch, Start: p.Start, Base: p.Base, Held: p.Held,
		})
	}
	slices.SortFunc(d.Partitions, func(a, b sourceLine) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Partition, b.Partition))
	})
	for _, s := range m.Segments {
		d.Segments = append(d.Segments, snapshotSegment{Number: s.Number, Sealed: s.Sealed, Documents: s.Documents, Bytes: s.Bytes, Name: s.Name})
	}
	return d
}

func (d *snapshotDetail) writeText(out io.Writer) error {
	var b strings.Builder
	for _, row := range [][2]string{
		{"offset", fmt.Sprint(d.Offset)},
		{"journal", fmt.Sprintf("%s, leader epoch %d", d.Journal, d.LeaderEpoch)},
		{"index", d.Index},
		{"taken", d.Taken},
		{"published", d.Published},
		{"documents", fmt.Sprintf("%s in %s, %s", terminal.Grouped(int(d.Documents)), terminal.Several(len(d.Segments), "segment"), terminal.Mebibytes(d.Bytes))},
		{"fingerprint", d.Fingerprint},
	} {
		fmt.Fprintf(&b, "%-12s %s\n", row[0], row[1])
	}
	b.WriteString("\nsettings\n")
	writeSettings(&b, d.Settings)
	fmt.Fprintf(&b, "\nrouting %d\n", d.routing)
	writeSettings(&b, d.Routing)
	b.WriteString("\nsource partitions\n")
	for _, p := range d.Partitions {
		fmt.Fprintf(&b, "  %s/%d  epoch %d from offset %d, base %d, %d held\n", p.Topic, p.Partition, p.Epoch, p.Start, p.Base, p.Held)
	}
	b.WriteString("\nsegments\n")
	for _, s := range d.Segments {
		fmt.Fprintf(&b, "  %d  %s  %s documents, %s, %s\n", s.Number, sealedWord(s.Sealed), terminal.Grouped(s.Documents), terminal.Mebibytes(s.Bytes), s.Name[:16])
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// writeSettings writes canonical settings, a line each. They were stored by others: what does not print is quoted.
func writeSettings(b *strings.Builder, canonical []byte) {
	var values map[string]any
	if json.Unmarshal(canonical, &values) != nil {
		fmt.Fprintf(b, "  none yet\n")
		return
	}
	keys := make([]string, 0, len(values))
	for k := range values {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		text, err := json.Marshal(values[k])
		if err == nil {
			fmt.Fprintf(b, "  %-28s %s\n", k, text)
		}
	}
}

func sealedWord(sealed bool) string {
	if sealed {
		return "sealed"
	}
	return "open  "
}
