package cluster

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Leaving the group ends with its context, though the cluster does not answer: a drain is bounded.
func TestLeavingEnds(t *testing.T) {
	t.Parallel()
	silent, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	client, err := kgo.NewClient(kgo.SeedBrokers(silent.Addr().String()))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	began := time.Now()
	(&Cluster{Group: "g", Client: client, Logger: zerolog.Nop()}).Leave(ctx, "m-s0", "m-s1")
	if took := time.Since(began); took > leaveTimeout/2 {
		t.Errorf("it took %v", took)
	}
}
