package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/snapshot"
)

// leaser opens a store, as a Leaser.
func leaser(t *testing.T, b Backing) snapshot.Leaser {
	t.Helper()
	l, ok := open(t, b).(snapshot.Leaser)
	if !ok {
		t.Skip("the store has no leases")
	}
	return l
}

// leasesApart: leases of another index are independent.
func leasesApart(t *testing.T, b Backing) {
	held, err := leaser(t, b).Lease(t.Context(), "writer")
	must(t, err)
	other := b.open(t, strings.ToLower(Index))
	theirs, err := other.(snapshot.Leaser).Lease(t.Context(), "writer")
	must(t, err)
	must(t, theirs.Release())
	must(t, other.Close())
	must(t, held.Release())
}

func leaseCanceled(t *testing.T, b Backing) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := leaser(t, b).Lease(ctx, "canceled")
	want(t, err, context.Canceled)
}

func lease(t *testing.T, b Backing) {
	one, two := leaser(t, b), leaser(t, b)
	for _, name := range []string{"writer", "slot-0", "../../x", strings.Repeat("ä", 300)} {
		held, err := one.Lease(t.Context(), name)
		must(t, err)
		for _, s := range []snapshot.Leaser{one, two} {
			_, err := s.Lease(t.Context(), name)
			want(t, err, snapshot.ErrLeased)
			var leased *snapshot.LeasedError
			if !errors.As(err, &leased) || leased.Name != name || !strings.Contains(leased.By, "pid ") {
				t.Fatalf("the holder is told as %v", err)
			}
		}
		other, err := two.Lease(t.Context(), name+"-other")
		must(t, err)
		must(t, other.Release())

		select {
		case <-held.Lost():
			t.Fatal("lost without a reason")
		default:
		}
		must(t, held.Release())
		must(t, held.Release())
		taken, err := two.Lease(t.Context(), name)
		must(t, err)
		select {
		case <-held.Lost():
			t.Fatal("a released lease is not a lost one")
		default:
		}
		must(t, taken.Release())
	}
	if taken := atOnce(t, one, two); taken != 1 {
		t.Fatalf("%d of many got the same lease", taken)
	}
}

// atOnce lets many ask for one name at once, and counts how many got it.
func atOnce(t *testing.T, stores ...snapshot.Leaser) int {
	const each = 4
	got := make(chan snapshot.Lease, each*len(stores))
	for _, s := range stores {
		for range each {
			go func() {
				l, err := s.Lease(t.Context(), "popular")
				if err != nil && !errors.Is(err, snapshot.ErrLeased) {
					t.Errorf("lease: %v", err)
				}
				got <- l
			}()
		}
	}
	taken := 0
	for range cap(got) {
		if l := <-got; l != nil {
			taken++
			defer func() { must(t, l.Release()) }()
		}
	}
	return taken
}
