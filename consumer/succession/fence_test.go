package succession

import (
	"context"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/protocol"
)

// A handover fences the old group again when that has failed, before it asks for offsets.
func TestFencingThatFailedIsRepeated(t *testing.T) {
	t.Parallel()
	client, err := kgo.NewClient(kgo.SeedBrokers("127.0.0.1:1"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	r := &run{Setup: &Setup{}, client: client, admin: kadm.NewClient(client)}
	r.Looked(protocol.Side{Group: "new", Journal: "new 1", Number: 1, Duty: protocol.Duty{Kind: protocol.Fills, Other: "old"}},
		protocol.Side{Group: "old", Journal: "old 1", Number: 2, Duty: protocol.Duty{
			Kind: protocol.Retired, Other: "new", OtherJournal: "new 1",
		}})
	r.Drained()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.step(ended); err == nil || r.Next() != protocol.StepFence {
		t.Errorf("after fencing returned %v the next step is %v, want %v", err, r.Next(), protocol.StepFence)
	}
}
