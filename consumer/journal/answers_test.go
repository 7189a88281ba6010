package journal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A journal that refuses an append, takes none, or does not say where it ends is a trouble within ten seconds. One that
// takes others' appends, or answered again, is none.
func TestTrouble(t *testing.T) {
	client, err := kgo.NewClient(kgo.ProducerBatchMaxBytes(1 << 21))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	zero := time.Now()
	at := func(s int) time.Time { return zero.Add(time.Duration(s) * time.Second) }
	away := errors.New("away")
	for name, c := range map[string]struct {
		do     func(a *answers)
		within int    // it is a trouble by then
		says   string // empty: never
	}{
		"nothing is appended": {func(*answers) {}, 0, ""},
		"too large": {func(a *answers) {
			p := a.begins(at(0))
			a.refuses(p, kerr.MessageTooLarge, at(0))
			a.refuses(p, kerr.MessageTooLarge, at(4))
			a.ends(a.begins(at(1)), nil, at(5)) // another one is taken
		}, 5, "its max.message.bytes must be at least 2097152 (advanced.max_document_bytes)"},
		"refused for another reason": {func(a *answers) {
			a.refuses(a.begins(at(0)), kerr.InvalidTimestamp, at(1))
		}, 6, "INVALID_TIMESTAMP"},
		"no answer":              {func(a *answers) { a.begins(at(0)) }, 8, "min.insync.replicas"},
		"no answer, and is slow": {func(a *answers) { a.begins(at(0)); a.ends(a.begins(at(1)), nil, at(9)) }, 0, ""},
		"given up":               {func(a *answers) { a.ends(a.begins(at(0)), away, at(1)) }, 0, ""},
		"no end":                 {func(a *answers) { a.note(at(0), away); a.note(at(3), away) }, 5, "does not answer for 5s (away): see that its brokers are up"},
		"a question given up":    {func(a *answers) { a.note(at(0), fmt.Errorf("ask: %w", context.Canceled)) }, 0, ""},
		"an end again":           {func(a *answers) { a.note(at(0), away); a.note(at(3), nil) }, 0, ""},
	} {
		l := &Log{Topic: "j", Appender: NewAppender(client, "g")}
		l.answers.taken = at(-100)
		c.do(&l.answers)
		if c.says == "" {
			if got := l.Trouble(at(10)); got != "" {
				t.Errorf("%s: want no trouble, got %q", name, got)
			}
			continue
		}
		if got := l.Trouble(at(c.within - 1)); got != "" {
			t.Errorf("%s: want no trouble after %d s, got %q", name, c.within-1, got)
		}
		if got := l.Trouble(at(c.within)); !strings.Contains(got, c.says) {
			t.Errorf("%s: want %q after %d s, got %q", name, c.says, c.within, got)
		}
	}
}

// A journal that was deleted is no broker that is away.
func TestUnanswered(t *testing.T) {
	for why, says := range map[error]string{
		kerr.UnknownTopicOrPartition: "journal j is gone: its topic was deleted a moment ago: list offsets: UNKNOWN_TOPIC_OR_PARTITION",
		kerr.LeaderNotAvailable:      "journal j does not answer: list offsets: LEADER_NOT_AVAILABLE",
	} {
		if got := unanswered("j", fmt.Errorf("list offsets: %w", why)).Error(); !strings.HasPrefix(got, says) {
			t.Errorf("got %s; want %s", got, says)
		}
	}
}
