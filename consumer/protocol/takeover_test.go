package protocol

import (
	"testing"
	"time"

	"github.com/unecho/unecho/index"
)

// A reposition that is missing is appended so often and no more. One of an epoch that begins was never appended before.
func TestRepeats(t *testing.T) {
	takeover := NewTakeover(TopicPartition{}, Terms{Mode: live{}}, &Patience{})
	find := func(c Committed, p index.Partition) Ask {
		takeover.Committed, takeover.Replica, takeover.Known = c, p, true
		takeover.Extent(0, 100, time.Unix(1, 0))
		return takeover.Asks()
	}
	missing := Committed{Offset: 7, Ours: true, Epoch: 2, Start: 7}
	for times := range mostUnread + 1 {
		if got := find(missing, index.Partition{Epoch: 1}); got != AskReposition || takeover.Repeats() != times {
			t.Fatalf("missing for the time %d it asks %v, after %d repeats", times, got, takeover.Repeats())
		}
		takeover.Appended(3)
	}
	if got := find(Committed{Offset: 7}, index.Partition{Epoch: 1}); got != AskCommit || takeover.Repeats() != 0 {
		t.Errorf("set by someone else, it asks %v, after %d repeats", got, takeover.Repeats())
	}
	if got := find(missing, index.Partition{Epoch: 1}); got != Refused || takeover.Decision.Reason != Unreadable {
		t.Errorf("at last it asks %v, because of %v", got, takeover.Decision.Reason)
	}
}
