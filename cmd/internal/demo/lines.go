package demo

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/sink"
)

// WriteRecord writes one line for a record of an output. withVerdict is for several outputs in one list.
func WriteRecord(w io.Writer, r *topic.Record, withVerdict bool) error {
	var b strings.Builder
	if withVerdict {
		fmt.Fprintf(&b, "%-9s  ", terminal.Printable(r.Header(sink.HeaderVerdict), 60))
	}
	b.WriteString(terminal.Printable(r.Header(sink.HeaderSource), terminal.LongLine))
	switch r.Header(sink.HeaderVerdict) {
	case sink.Duplicate:
		said := func(name string) string { return terminal.Printable(r.Header(name), 60) }
		fmt.Fprintf(&b, "  %s of %s (%s), copy %s", said(sink.HeaderSimilarity), said(sink.HeaderMatchID),
			said(sink.HeaderMethod), said(sink.HeaderCopy))
	case sink.Rejected:
		fmt.Fprintf(&b, "  %s %s", terminal.Printable(r.Header(sink.HeaderReason), 60),
			terminal.Printable(r.Header(sink.HeaderDetail), 200))
	}
	_, err := fmt.Fprintf(w, "%s  %s\n", b.String(), terminal.Printable(string(r.Value), 160))
	return err
}

// WriteValue writes the document alone.
func WriteValue(w io.Writer, r *topic.Record) error {
	_, err := fmt.Fprintf(w, "%s\n", r.Value)
	return err
}

// WriteJSON writes a record of an output as one JSON object: its place, the verdict's headers without their prefix,
// key and value. What is not UTF-8 has replacement characters.
func WriteJSON(w io.Writer, r *topic.Record) error {
	out := map[string]any{
		"topic": r.Topic, "partition": r.Partition, "offset": r.Offset, "time": r.Time.UTC().Format(time.RFC3339Nano),
		"value": string(r.Value),
	}
	if r.Key != nil {
		out["key"] = string(r.Key)
	}
	for _, h := range r.Headers {
		name, ours := strings.CutPrefix(h.Key, sink.Prefix)
		if !ours {
			continue
		}
		value := string(h.Value)
		out[name] = value
		if h.Key == sink.HeaderSimilarity || h.Key == sink.HeaderCopy {
			if x, err := strconv.ParseFloat(value, 64); err == nil {
				out[name] = x
			}
		}
	}
	return terminal.WriteJSON(w, out)
}
