package backfill

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/unecho/unecho/index/entry"
)

// Bound is where a range begins or ends, as a person writes it.
type Bound struct {
	Text string // as it was written

	kind kind
	at   time.Time
	all  int64                         // offset in all partitions
	each map[entry.PartitionName]int64 // offset by partition; a topic of "" is the only one
}

type kind int

const (
	atStart kind = iota
	atEnd
	atTime
	atOffset
	atOffsets
)

// Start is where the topics begin.
func Start() Bound { return Bound{Text: "start", kind: atStart} }

// End is where the topics end.
func End() Bound { return Bound{Text: "end", kind: atEnd} }

// errForms says how a bound is written.
var errForms = errors.New("write a time (2026-01-01, 2026-01-01T09:30:00Z, -24h, \"2h ago\"), start or end, or " +
	"offsets: " +
	"one number for all partitions, 0=100,1=250 for some, news/0=100 where there are several topics")

// ParseBound reads a bound. A time without a zone is UTC; a date is its first moment. What lies back from now is
// counted from now.
func ParseBound(text string, now time.Time) (Bound, error) {
	b := Bound{Text: strings.TrimSpace(text)}
	switch b.Text {
	case Start().Text:
		return Start(), nil
	case End().Text:
		return End(), nil
	}
	if strings.Contains(b.Text, "=") {
		return b.offsets()
	}
	if n, err := strconv.ParseInt(b.Text, 10, 64); err == nil && n >= 0 {
		b.kind, b.all = atOffset, n
		return b, nil
	}
	if back, ok := ago(b.Text); ok {
		b.kind, b.at = atTime, now.Add(-back)
		return b, nil
	}
	for _, layout := range []string{
		time.RFC3339Nano, time.DateOnly, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04",
		time.DateTime, "2006-01-02 15:04",
	} {
		if at, err := time.ParseInLocation(layout, b.Text, time.UTC); err == nil {
			b.kind, b.at = atTime, at
			return b, nil
		}
	}
	return Bound{}, fmt.Errorf("%q is no time and no offset; %w", text, errForms)
}

// Time is the time that a bound names, or false if it names none.
func (b Bound) Time() (time.Time, bool) { return b.at, b.kind == atTime }

var backwards = regexp.MustCompile(`^(?:-\s*(\S+)|(\S+)\s+ago)$`)

// ago reads "-24h" and "2h ago". Days and weeks are 24 hours and seven times that.
func ago(text string) (time.Duration, bool) {
	m := backwards.FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	length := m[1] + m[2]
	unit := map[byte]time.Duration{'d': 24 * time.Hour, 'w': 7 * 24 * time.Hour}[length[len(length)-1]]
	if n, err := strconv.ParseUint(length[:len(length)-1], 10, 16); unit > 0 && err == nil {
		return time.Duration(n) * unit, true
	}
	d, err := time.ParseDuration(length)
	return d, err == nil && d >= 0
}

// offsets reads "0=100,news/1=250".
func (b Bound) offsets() (Bound, error) {
	b.kind, b.each = atOffsets, map[entry.PartitionName]int64{}
	for part := range strings.SplitSeq(b.Text, ",") {
		where, at, _ := strings.Cut(strings.TrimSpace(part), "=")
		p, ok := entry.ParseName(where)
		if !strings.Contains(where, "/") {
			p, ok = entry.ParseName("/" + where)
		}
		offset, err := strconv.ParseInt(at, 10, 64)
		if !ok || err != nil || offset < 0 {
			return Bound{}, fmt.Errorf("%q in %q is no offset of a partition; %w", part, b.Text, errForms)
		}
		if _, twice := b.each[p]; twice {
			return Bound{}, fmt.Errorf("%q names partition %s twice", b.Text, where)
		}
		b.each[p] = offset
	}
	return b, nil
}

// Exact says whether the bound names offsets. Those mean the same at any time; others depend on what the topic holds.
func (b Bound) Exact() bool { return b.kind == atOffset || b.kind == atOffsets }
