//go:build unix

package main

import (
	"strings"
	"testing"
	"time"
)

func TestSoakSeesGrowth(t *testing.T) {
	steady := func(i int) sample { return sample{resident: 300 << 20, heap: 100 << 20, goroutines: 80} }
	for _, c := range []struct {
		name string
		of   func(i int) sample
		says string
	}{
		{"steady", steady, ""},
		{"fills at first", func(i int) sample {
			s := steady(i)
			s.resident = min(s.resident, float64(i)*(20<<20))
			return s
		}, ""},
		{"a leak of memory", func(i int) sample {
			s := steady(i)
			s.resident += float64(i) * (1 << 20)
			return s
		}, "resident MiB grew"},
		{"a peak beyond what is granted", func(i int) sample {
			s := steady(i)
			if i == 20 {
				s.resident = 600 << 20
			}
			return s
		}, "resident memory was 600 MiB at most"},
		{"a leak of goroutines", func(i int) sample {
			s := steady(i)
			s.goroutines += float64(i) / 5
			return s
		}, "goroutines grew"},
	} {
		var all []sample
		for i := range 100 {
			all = append(all, c.of(i))
		}
		_, err := judge(all)
		if (err != nil) != (c.says != "") || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v", c.name, err)
		}
	}
	if _, err := judge(nil); err == nil {
		t.Error("nothing was seen, and it was flat")
	}
}

func TestLossIsOverWhenAllIsCommitted(t *testing.T) {
	for _, c := range []struct {
		committed map[int32]int64
		over      bool
	}{
		{map[int32]int64{}, false}, {map[int32]int64{0: 5}, false}, {map[int32]int64{0: 5, 1: 2}, false}, {map[int32]int64{0: 6, 1: 3}, true},
	} {
		if got := reached(c.committed, map[int32]int64{0: 5, 1: 3}); got != c.over {
			t.Errorf("%v: got %v", c.committed, got)
		}
	}
	w := &watch{load: &load{}, waits: map[string][]time.Duration{}}
	if w.lost(string(kill)); len(w.open) == 0 {
		t.Error("a loss that nobody looked at is over")
	}
}

func TestBurst(t *testing.T) {
	p := chaosFor(t, "-soak=20m", "-rate=50")
	for at, want := range map[time.Duration]float64{
		0: 50, 59 * time.Second: 50, time.Minute: 5000,
		119 * time.Second: 5000, 2 * time.Minute: 50,
	} {
		if got := p.pace(at); got != want {
			t.Errorf("after %v: %v, want %v", at, got, want)
		}
	}
	if p = chaosFor(t); p.pace(0) != float64(p.rate) {
		t.Error("chaos has no burst")
	}
}
