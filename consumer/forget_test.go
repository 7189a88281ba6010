package consumer

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/recent"
)

// TestForget: what a member is asked to forget is forgotten by all: copies of it that come later are unique, whoever
// is asked, and after a restart from a snapshot too. The member that is asked does not tell of it among the last
// copies any more.
func TestForget(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	early, err := New(w.setup)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := early.Forget(w.context(), []string{"news/0/0"}, false, false); !errors.Is(err, member.ErrNoReplica) {
		t.Errorf("before it runs: %v", err)
	}
	text := func(n int) *kgo.Record {
		return &kgo.Record{Value: fmt.Appendf(nil,
			"w%x a text of its own number %d whose words w%x are those of no other w%x one", n*7919, n, n*104729, n*1299709)}
	}
	one := w.start()
	two := w.start()
	w.send(text(1), text(2), text(3), text(3)) // the last is a copy
	w.settled()
	if found, offset, err := one.Forget(w.context(), []string{"news/0/0", "nobody"}, false, true); err != nil ||
		offset >= 0 || len(found.Documents) != 1 || fmt.Sprint(found.Unknown) != "[nobody]" {
		t.Errorf("a dry run: %+v, %d, %v", found, offset, err)
	}
	if _, offset, err := one.Forget(w.context(), []string{"nobody"}, false, false); err != nil || offset >= 0 {
		t.Errorf("nothing is known of it: %d, %v", offset, err)
	}
	canceled, cancel := context.WithCancel(w.context())
	cancel()
	if _, _, err := one.Forget(canceled, []string{"news/0/0"}, false, false); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody waits for it: %v", err)
	}
	found, offset, err := one.Forget(w.context(), []string{"news/0/0", "news/0/2"}, false, false)
	if err != nil || len(found.Documents) != 2 || offset < 0 {
		t.Fatalf("Forget of news/0/0 and news/0/2 finds %+v, offset %d, error %v; want two documents and an offset", found, offset, err)
	}
	if got, _ := one.Recent().Last(5, func(*recent.Copy) bool { return true }); len(got) != 0 {
		t.Errorf("the copy of what was forgotten is told: %+v", got)
	}
	w.send(text(1), text(2)) // 4 is unique, 5 is a copy of 1
	w.settled()
	if _, _, err := two.Forget(w.context(), []string{"news/0/1", "news/0/4"}, false, false); err != nil {
		t.Fatal(err)
	}
	for _, m := range []*running{one, two} {
		w.ended(m)
	}
	three := w.start()
	w.send(text(1), text(2), text(3))
	w.settled()
	w.ended(three)
	if r := w.audited(); r.Unique != 7 || r.Duplicate != 2 {
		t.Errorf("%d unique ones and %d duplicates, want 7 and 2: %s", r.Unique, r.Duplicate, &r)
	}
}
