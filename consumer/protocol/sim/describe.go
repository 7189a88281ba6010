package sim

import (
	"fmt"
	"strings"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
)

// describeDecision is what a takeover found, and what it decided.
func describeDecision(t *protocol.Takeover) string {
	committed, known := "nothing is committed", "the journal does not know it"
	if c := t.Committed; c.Offset >= 0 {
		committed = fmt.Sprintf("%d is committed, epoch %d", c.Offset, c.Epoch)
	}
	if r := t.Replica; t.Known {
		known = fmt.Sprintf("the journal has epoch %d, base %d", r.Epoch, r.Base)
	}
	does := [...]string{"goes on", "begins an epoch", "appends its reposition again", "waits", "refuses"}[t.Decision.Action]
	return fmt.Sprintf("%s, %s: %s (reason %d)", committed, known, does, t.Decision.Reason)
}

// describe is a record as a line of the trace has it. Contents are letters.
func (w *World) describe(rec index.Record) string {
	foreign := func(h index.Header) string {
		if h.Fingerprint == w.ours {
			return ""
		}
		return ", other settings"
	}
	switch r := rec.(type) {
	case *index.Settings:
		return "settings"
	case *index.Run:
		var b strings.Builder
		fmt.Fprintf(&b, "run %d.p%d, epoch %d, base %d%s:", r.Source.Topic[0], r.Source.Partition, r.Epoch, r.Base,
			foreign(r.Header))
		for i := range r.Entries {
			fmt.Fprintf(&b, " %d=%c", r.Entries[i].Offset, 'a'+rune(r.Entries[i].Content)-1)
		}
		return b.String()
	case *index.Reposition:
		return fmt.Sprintf("reposition %d.p%d to %d, epoch %d%s", r.Source.Topic[0], r.Source.Partition, r.Offset, r.Epoch,
			foreign(r.Header))
	case *index.Feed:
		var b strings.Builder
		fmt.Fprintf(&b, "feed behind %d%s:", r.First, foreign(r.Header))
		for i := range r.Entries {
			e := &r.Entries[i]
			fmt.Fprintf(&b, " p%d:%d=%c at %d", r.Parts[e.Part].Source.Partition, e.Offset, 'a'+rune(e.Content)-1, e.At)
		}
		for i := range r.Parts {
			fmt.Fprintf(&b, ", p%d from %d through %d", r.Parts[i].Source.Partition, r.Parts[i].From, r.Parts[i].Through)
		}
		return b.String()
	case *index.Fill:
		return describeFill(r)
	case *index.Forget:
		return fmt.Sprintf("forget j%d/%d%s", r.Target.Offset, r.Target.Entry, foreign(r.Header))
	case *index.Mark:
		return "a mark"
	case *index.Checkpoint:
		return fmt.Sprintf("checkpoint of %s at j%d", r.Member, r.Offset)
	case *index.Routing:
		return fmt.Sprintf("routing %d: %s", r.Number, w.describeDuty(string(r.Text)))
	case *index.SettingsChange:
		return fmt.Sprintf("bounds %d%s: %s", r.Number, foreign(r.Header), r.Text)
	case *index.Erase:
		return fmt.Sprintf("erase%s: %v", foreign(r.Header), r.Targets)
	case *index.Accusation:
		return fmt.Sprintf("accusation by %s of %s at j%d", r.Member, r.Accused, r.Offset)
	}
	return "a stray"
}

// describeDuty is the text of a routing and, if it gives one, the duty.
func (w *World) describeDuty(text string) string {
	if plain(text) == text {
		return text
	}
	d := w.dutyOf(text)
	words := plain(text) + [...]string{"the group forwards", "the group is filled", "the group has retired"}[d.Kind]
	for _, b := range d.From {
		words += fmt.Sprintf(", from %d.p%d:%d on", b.Source.Topic[0], b.Source.Partition, b.Offset)
	}
	for _, b := range d.Fill {
		words += fmt.Sprintf(", filled with %d.p%d below %d", b.Source.Topic[0], b.Source.Partition, b.Offset)
	}
	return words
}

func describeFill(r *index.Fill) string {
	if len(r.Plan) > 0 {
		return fmt.Sprintf("fill %d begins, of plan %s", r.Number, r.Plan)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "fill %d behind %d:", r.Number, r.First)
	for i := range r.Entries {
		e := &r.Entries[i]
		source := r.Parts[e.Part].Source
		fmt.Fprintf(&b, " %d.p%d:%d=%c at %d", source.Topic[0], source.Partition, e.Offset, 'a'+rune(e.Content)-1, e.At)
	}
	for i := range r.Parts {
		p := &r.Parts[i]
		fmt.Fprintf(&b, ", %d.p%d from %d through %d", p.Source.Topic[0], p.Source.Partition, p.From, p.Through)
	}
	return b.String()
}

func describeVerdict(v *index.Verdict) string {
	if !v.Matched() {
		return "unique"
	}
	return fmt.Sprintf("copy %d of %d.p%d:%d, let through %v", v.Match.Copy, v.Match.Source.Topic[0],
		v.Match.Source.Partition, v.Match.Offset, v.Reemitted)
}
