package takeover

import (
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// What a person is told to do fits what the journal knows: a partition that it never knew begins anew, and is not to
// be skipped to its end, nor has a journal lost the end of what it never held.
func TestAdviceFitsWhatTheJournalKnows(t *testing.T) {
	t.Parallel()
	s := &adviser{Setup: &Setup{Cluster: &cluster.Cluster{Group: "g"}, Log: &journal.Log{Topic: "g.journal"}}}
	for _, c := range []struct {
		name      string
		known     bool
		why       protocol.Reason
		says, not []string
	}{
		{"behind, known", true, protocol.Behind, []string{"lost its end", "epoch 2", "--to-current"}, []string{"--to-earliest", "--accept-journal-gap"}},
		{"behind, never known", false, protocol.Behind, []string{"never knew", "--accept-journal-gap g.journal@0:AAAAAAAAAAAAAAAAAAAAAA:", "correct group", "--to-earliest"}, []string{"epoch 0", "lost its end"}},
		{"beyond, known", true, protocol.Beyond, []string{"is 70", "ends at 10", "--to-offset 10"}, []string{"--to-earliest"}},
		{"beyond, never known", false, protocol.Beyond, []string{"is 70", "ends at 10", "never knew", "--to-earliest", "correct group"}, []string{"--to-offset", "lost documents"}},
		{"below", true, protocol.Below, []string{"below 80", "--accept-lost-offsets news/2@7,news/3@80 "}, []string{"--to-earliest"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := &protocol.Findings{
				TopicPartition: protocol.TopicPartition{Topic: "news", Source: entry.Source{Partition: 3}}, Known: c.known,
				Committed: protocol.Committed{Ours: true, Epoch: 5, Start: 40, Offset: 70}, End: 10,
			}
			if c.known {
				f.Replica = index.Partition{Epoch: 2, Base: 80}
			}
			got := s.refusal(f, c.why).Error()
			if c.why == protocol.Below {
				got = s.below(f, []string{"news/2@7"}).Error()
			}
			for _, want := range append(c.says, "news/3") {
				if !strings.Contains(got, want) {
					t.Errorf("%q does not say %q", got, want)
				}
			}
			for _, unwanted := range c.not {
				if strings.Contains(got, unwanted) {
					t.Errorf("%q says %q", got, unwanted)
				}
			}
		})
	}
}
