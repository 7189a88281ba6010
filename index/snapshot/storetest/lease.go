package storetest

import (
	"errors"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/snapshot"
)

func lease(t *testing.T, b Backing) {
	one, two := open(t, b), open(t, b)
	for _, name := range []string{"writer", "slot-0", "../../x", strings.Repeat("ä", 300)} {
		held, err := one.Lease(t.Context(), name)
		must(t, err)
		for _, s := range []snapshot.Store{one, two} {
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

// atOnce lets many ask for one name, and counts who got it.
func atOnce(t *testing.T, stores ...snapshot.Store) int {
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
