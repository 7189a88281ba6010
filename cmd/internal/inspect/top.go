package inspect

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

// Top draws how a member stands, each time anew. It keeps what it needs to show how things went lately.
type Top struct {
	Server string
	Zone   *time.Location
	Colour bool

	rates  []float64 // documents per second, the newest last
	shares []float64 // of duplicates in them
	seen   bool
	last   shape.Status
	copies []shape.Copy
	err    error
}

// mostSamples bounds what is remembered of the past, which is drawn a column each.
const mostSamples = 120

// Answer takes what the member answers.
func (t *Top) Answer(s shape.Status, copies []shape.Copy) {
	if t.err = nil; s.Rate != nil {
		t.rates, t.shares = keep(t.rates, s.Rate.Documents), keep(t.shares, s.Rate.Share())
	}
	t.last, t.copies, t.seen = s, copies, true
}

// Lost takes why the member did not answer.
func (t *Top) Lost(err error) { t.err = err }

func keep(of []float64, x float64) []float64 {
	return slices.Delete(append(of, x), 0, max(0, len(of)+1-mostSamples))
}

// Styles of a terminal (ECMA-48, SGR).
const (
	plainStyle = ""
	boldStyle  = "1"
	dimStyle   = "2"
	redStyle   = "31"
	greenStyle = "32"
)

type canvas struct {
	width, left int // columns, and rows that are left
	colour      bool
	lines       []string
}

// add draws one line, cut to the width. Beyond the last row nothing is drawn.
func (c *canvas) add(style, text string) {
	if c.left == 0 {
		return
	}
	c.left--
	text = terminal.Fit(text, c.width)
	if style != plainStyle && c.colour {
		text = "\x1b[" + style + "m" + text + "\x1b[0m"
	}
	c.lines = append(c.lines, text)
}

const labelColumns = 11

// field draws a label and its value. What does not fit goes on in the next lines, under the value.
func (c *canvas) field(label string, parts ...string) {
	row := label + strings.Repeat(" ", max(1, labelColumns-len(label)))
	begun := false
	for _, part := range parts {
		switch {
		case part == "":
			continue
		case begun && terminal.Columns(row)+3+terminal.Columns(part) > c.width:
			c.add(plainStyle, row)
			row = strings.Repeat(" ", labelColumns) + part
			continue
		case begun:
			row += " · "
		}
		row, begun = row+part, true
	}
	c.add(plainStyle, row)
}

// Frame returns the lines of a picture of at most so many columns and rows.
func (t *Top) Frame(width, height int) []string {
	c := &canvas{width: max(1, width), left: max(1, height), colour: t.Colour}
	s := &t.last
	if !t.seen {
		c.add(boldStyle, "unecho top · "+t.Server)
		c.add(plainStyle, "waiting for the member to answer")
		t.lost(c)
		return c.lines
	}
	c.add(boldStyle, fmt.Sprintf("unecho %s · group %s · %s · %s", s.Version, s.Group, s.Member, s.Time.In(t.Zone).
		Format(clock)))
	switch {
	case t.err != nil:
		t.lost(c)
	case s.Ready:
		c.add(greenStyle, "ready")
	default:
		c.add(redStyle, "not ready: "+s.Why)
	}
	t.flow(c)
	window(c, s)
	state(c, s)
	for i := range s.Warnings {
		w := &s.Warnings[i]
		style := redStyle
		if w.Pending {
			style = plainStyle
		}
		c.add(style, "! "+w.Text)
		c.add(plainStyle, "  "+w.Remedy)
	}
	t.recent(c)
	return c.lines
}

func (t *Top) lost(c *canvas) {
	if t.err != nil {
		c.add(redStyle, t.err.Error())
	}
}

func (t *Top) flow(c *canvas) {
	s := &t.last
	room := max(0, min(60, c.width-labelColumns-28))
	rate, share := "not known yet", "not known yet"
	if s.Rate != nil {
		rate, share = terminal.Grouped(int(math.Round(s.Rate.Documents)))+" documents/s",
			fmt.Sprintf("%.1f %% of them", 100*s.Rate.Share())
	}
	c.field("throughput", terminal.Pad(rate, 18), spark(t.rates, room, 0))
	c.field("duplicates", terminal.Pad(share, 18), spark(t.shares, room, 1))
	lag := "not known yet"
	if s.Lag.Documents != nil {
		lag = terminal.Several(int(*s.Lag.Documents), "document")
	}
	longest := ""
	if s.Lag.Seconds != nil {
		longest = "the oldest waits " + short(*s.Lag.Seconds)
	}
	c.field("lag", lag, longest)
	if s.Rate != nil && s.Rate.Median != nil && s.Rate.Slowest != nil {
		c.field("latency", "median "+latency(*s.Rate.Median), "slowest 1 % "+latency(*s.Rate.Slowest))
	}
	rejected := terminal.Grouped(int(s.Documents.Rejected)) + " rejected"
	if n := s.Documents.Unchecked; n > 0 {
		rejected += ", " + terminal.Grouped(int(n)) + " unchecked"
	}
	c.field("committed", terminal.Grouped(int(s.Documents.Unique))+" unique", terminal.Grouped(int(s.Documents.Duplicate))+
		" duplicate", rejected)
}

// window draws what is remembered, beside its bounds.
func window(c *canvas, s *shape.Status) {
	w := &s.Window
	age := "remembers " + long(w.AgeS)
	if w.AgeBoundS > 0 {
		age += " of " + long(w.AgeBoundS)
	}
	count := terminal.Several(w.Documents, "document")
	if w.Count > 0 {
		count += " of " + terminal.Grouped(w.Count)
	}
	bytes := terminal.Size(w.Bytes)
	if w.BytesBound > 0 {
		bytes += " of " + terminal.Size(w.BytesBound)
	}
	bites := ""
	if w.Bites != "" && w.Bites != "age" {
		bites = "duplicates.remember." + w.Bites + " is what bounds it"
	}
	c.field("window", age, bites, count, bytes)
}

// state draws the journal, the snapshots and who is in the group.
func state(c *canvas, s *shape.Status) {
	behind, kept := "", ""
	if s.Journal.End != nil {
		behind = terminal.Several(int(max(0, *s.Journal.End-s.Journal.Next)), "record") + " behind"
	}
	if s.Journal.Bytes != nil {
		kept = "some " + terminal.Size(*s.Journal.Bytes) + " kept"
	}
	c.field("journal", "offset "+terminal.Grouped(int(s.Journal.Next)), behind, kept)
	switch {
	case s.Snapshots.Failed != nil:
		c.field("snapshot", "failed: "+s.Snapshots.Failed.Error)
	case s.Snapshot == nil:
		c.field("snapshot", "none yet")
	default:
		by := ""
		if s.Snapshots.By != "" {
			by = "by " + s.Snapshots.By
		}
		c.field("snapshot", short(s.Time.Sub(s.Snapshot.Taken.Time).Seconds())+" old", by)
	}
	if s.Members == nil {
		return
	}
	processes, partitions := map[string]int{}, 0
	for i := range s.Members.Sessions {
		m := &s.Members.Sessions[i]
		processes[m.Member] += len(m.Partitions)
		partitions += len(m.Partitions)
	}
	c.field("group", s.Members.State, terminal.Several(len(processes), "member"),
		terminal.Several(len(s.Members.Sessions), "session"), terminal.Several(partitions, "partition"))
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(processes)) {
		parts = append(parts, fmt.Sprintf("%s: %d", name, processes[name]))
	}
	if len(parts) > 1 {
		c.field("", parts...)
	}
}

// recent draws the last copies in the rows that are left.
func (t *Top) recent(c *canvas) {
	if c.left < 3 {
		return
	}
	c.add(plainStyle, "")
	if len(t.copies) == 0 {
		c.add(dimStyle, "no duplicate yet")
		return
	}
	c.add(dimStyle, copyHead())
	for i := range t.copies {
		line := lineOf(&t.copies[i], t.Zone, named)
		if terminal.Columns(line) > c.width { // else nobody sees what it is like
			line = lineOf(&t.copies[i], t.Zone, briefly)
		}
		c.add(plainStyle, line)
	}
}

// spark draws values in so many columns, as blocks. top is the value of a full block; 0: the largest value.
func spark(values []float64, columns int, top float64) string {
	values = values[max(0, len(values)-columns):]
	for _, x := range values {
		top = max(top, x)
	}
	var b strings.Builder
	for _, x := range values {
		step := 0
		if top > 0 {
			step = int(math.Round(x / top * 7))
		}
		b.WriteRune([]rune("▁▂▃▄▅▆▇█")[min(7, max(0, step))])
	}
	return b.String()
}

// latency is a duration that is measured up to a day.
func latency(seconds float64) string {
	if seconds >= 86_400 {
		return "a day or more"
	}
	return short(seconds)
}

func short(seconds float64) string {
	switch {
	case seconds < 1:
		return fmt.Sprintf("%.0f ms", 1000*seconds)
	case seconds < 120:
		return fmt.Sprintf("%.1f s", seconds)
	}
	return long(seconds)
}

// long is a duration of seconds in its two largest units.
func long(seconds float64) string {
	units := []struct {
		name string
		size int64
	}{{"d", 86_400}, {"h", 3600}, {"min", 60}, {"s", 1}}
	n := int64(seconds)
	for i, u := range units[:len(units)-1] {
		if n < u.size {
			continue
		}
		text := fmt.Sprintf("%d %s", n/u.size, u.name)
		if rest := n % u.size / units[i+1].size; rest > 0 {
			text += fmt.Sprintf(" %d %s", rest, units[i+1].name)
		}
		return text
	}
	return fmt.Sprintf("%d s", n)
}

// Status is what the member answered last.
func (t *Top) Status() shape.Status { return t.last }
