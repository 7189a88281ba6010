package takeover

import (
	"testing"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
)

// A partition whose routing is outdated ends the session, although another one has come to an end of its own.
func TestOutdatedComesFirst(t *testing.T) {
	t.Parallel()
	begin := func() *protocol.Takeover {
		return protocol.NewTakeover(protocol.TopicPartition{}, protocol.Terms{Routed: 1}, &protocol.Patience{})
	}
	replica, err := index.NewReplica(index.DefaultParams(), 1)
	if err != nil {
		t.Fatal(err)
	}
	outdated, leaderless := begin(), begin()
	outdated.Reached(replica, false) // it knows no routing
	leaderless.NoLeader()
	if ask, some := earliest([]*protocol.Takeover{leaderless, outdated}); ask != protocol.Outdated || len(some) != 1 {
		t.Errorf("the earliest step is %v, of %d takeovers; want %v, of 1", ask, len(some), protocol.Outdated)
	}
}
