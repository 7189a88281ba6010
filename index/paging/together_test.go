package paging

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/files/filestest"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/window"
)

// TestProcessorsAreNoWait: what goroutines do with what they have read is no wait for the disk. Each works for 10 s and reads
// for 1 s, three times.
func TestProcessorsAreNoWait(t *testing.T) {
	for name, c := range map[string]struct {
		goroutines int
		apart      time.Duration // that each begins after the one before
		want       time.Duration
	}{
		"one":                          {1, 0, 3 * time.Second},
		"all at the same time":         {8, 0, 3 * time.Second},
		"one reads, another one works": {2, 5 * time.Second, time.Second}, // the last read, when the other one is done
		"reads overlap by half":        {2, time.Second / 2, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var waited time.Duration
				p := Pager{Waits: func() func() {
					began := time.Now()
					return func() { waited += time.Since(began) }
				}}
				w := p.slow(t, time.Second)
				p.together(t.Context(), c.goroutines, func(k int, read reader) {
					time.Sleep(time.Duration(k) * c.apart)
					for range 3 {
						time.Sleep(10 * time.Second)
						if _, err := read(w); err != nil {
							t.Error(err)
						}
					}
				})
				if waited != c.want {
					t.Errorf("%v count as waited for the disk, want %v", waited, c.want)
				}
			})
		})
	}
}

// slow has a pager read from a disk that takes its time for a read, and returns what can be wanted of it.
func (p *Pager) slow(t *testing.T, read time.Duration) window.Want {
	t.Helper()
	disk := &filestest.Faulty{System: filestest.NewMemory()}
	d, err := files.OpenIn(disk, "/files", files.Owner{})
	data := []byte("a segment")
	name := snapshot.SegmentName(data)
	if err == nil {
		err = d.Put(t.Context(), name, data)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	disk.Before = func(c filestest.Call) error {
		if c.Op == "read" {
			time.Sleep(read)
		}
		return nil
	}
	p.Directory = d
	return window.Want{File: name}
}
