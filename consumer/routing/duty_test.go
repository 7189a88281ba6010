package routing

import (
	"bytes"
	"reflect"
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// A duty is part of a routing, and none of a configuration. The text of a group without one is what it always was.
func TestDutyIsWrittenAndRead(t *testing.T) {
	t.Parallel()
	plain := Text([]document.Source{{Topics: []string{"news", "blogs/x"}, Start: "earliest"}}, sink.DefaultParams())
	at := func(offset int64) []protocol.Boundary {
		return []protocol.Boundary{{Topic: "news", Source: entry.Source{Topic: [16]byte{1, 2}, Partition: 3}, Offset: offset}}
	}
	here := Incarnation("new.journal", [16]byte{9})
	for _, d := range []protocol.Duty{
		{},
		{Kind: protocol.Fills},
		{Kind: protocol.Fills, Other: "old", OwnJournal: here, Void: 7},
		{
			Kind: protocol.Retired, Other: "new", OtherJournal: here, OwnJournal: "old.journal 00", From: at(5), Fill: at(3), Seen: at(9),
			PreviousGroup: "before", PreviousJournal: "before.journal 01",
		},
		{Kind: protocol.Forwards, Other: "old", OtherJournal: "old.journal 00", OwnJournal: here, From: at(12), Fill: at(8)},
		{Kind: protocol.Forwards, Fill: at(8)},
		{Kind: protocol.Forwards, Dropped: []string{"first", "news.unique"}},
	} {
		text := WithDuty(WithDuty(plain, &protocol.Duty{Kind: protocol.Fills, Other: "before"}), &d)
		got, err := DutyOf(text)
		if err != nil || !reflect.DeepEqual(got, d) {
			t.Errorf("%+v becomes %+v, %v", d, got, err)
		}
		if !bytes.Equal(Plain(text), plain) || len(Diff(plain, text)) != 0 {
			t.Errorf("%s is %s without its duty", text, Plain(text))
		}
	}
	for _, wrong := range []string{
		`{"succession.duty":"king"}`, `{"succession.more":"x"}`,
		`{"succession.from news/0":"12"}`, `{"succession.void":7}`,
	} {
		if _, err := DutyOf([]byte(wrong)); err == nil || !strings.Contains(err.Error(), "upgrade") {
			t.Errorf("DutyOf(%s) returns error %v, want one that says to upgrade", wrong, err)
		}
	}
}
