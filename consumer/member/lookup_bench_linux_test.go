package member

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// BenchmarkBesideLookups applies blocks of documents to a window of a million, each in turn without lookups and
// beside some 1,000 lookups a second of unlike texts, which come as those of the API do. It reports by how much 1,000
// lookups a second slow the follower: what a lookup costs its thread in processor time, in the median of the pairs.
// So it can be measured on a busy machine.
func BenchmarkBesideLookups(b *testing.B) {
	for _, verify := range []string{"estimate", "jaccard"} {
		b.Run("verify="+verify, func(b *testing.B) { besideLookups(b, verify) })
	}
}

func besideLookups(b *testing.B, verify string) {
	b.Helper()
	const block = 50_000
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	a := newApplier(b, verify)
	a.apply(1_000_000)
	var each []float64
	for b.Loop() {
		plain := a.timed(b, block)
		before := a.answered
		stop := a.lookUp(b, 1000)
		beside := a.timed(b, block)
		stop()
		if n := a.answered - before; n > 0 {
			each = append(each, (beside-plain).Seconds()/float64(n))
		}
	}
	if len(each) == 0 {
		b.Fatal("no lookup was answered")
	}
	slices.Sort(each)
	median := each[len(each)/2]
	b.ReportMetric(1e6*median, "us/lookup")
	b.ReportMetric(100*1000*median, "%slower")
	b.ReportMetric(float64(len(each)), "pairs")
}

// applier is a follower without a cluster, which applies on the goroutine of the benchmark.
type applier struct {
	*Follower
	random *rand.Rand
	record index.Run
	at     index.Stamp
	params index.Params

	answered int
}

func newApplier(b *testing.B, verify string) *applier {
	b.Helper()
	p := index.DefaultParams()
	p.Similarity.Verify, p.Window.Count, p.Window.Bytes = verify, 1_000_000, 0
	const fingerprint = 1
	settings := []byte("{}")
	replica, err := index.NewReplica(p, index.Fingerprint(settings))
	if err != nil {
		b.Fatal(err)
	}
	setup := &Setup{Name: "m", Agreed: &Agreed{Index: p, Fingerprint: fingerprint}, Counters: NewCounters()}
	a := &applier{
		Follower: newFollower(setup, replica, journal.Begin{LeaderEpoch: -1}, nil),
		random:   rand.New(rand.NewPCG(1, 2)), params: p,
	}
	signer, err := index.NewSigner(p)
	if err != nil {
		b.Fatal(err)
	}
	header := index.Header{Fingerprint: index.Fingerprint(settings)}
	a.put(b, &index.Settings{Text: settings})
	a.put(b, &index.Reposition{Header: header, Name: "news", Epoch: 1})
	a.record = index.Run{Header: header, Epoch: 1, Entries: make([]entry.Entry, 256)}
	for i := range a.record.Entries {
		signer.Reset()
		var e entry.Entry
		signer.Sign(&e, numbers(a.random))
		a.record.Entries[i] = e.Clone()
	}
	return a
}

func (a *applier) put(b *testing.B, rec index.Record) {
	b.Helper()
	if err := a.Follower.apply(a.at, 0, rec); err != nil {
		b.Fatal(err)
	}
	a.at.Offset++
}

// apply applies documents that are like no other, and answers lookups between two records, as a follower does.
func (a *applier) apply(documents int) {
	for ; documents > 0; documents -= len(a.record.Entries) {
		a.record.Base = a.record.Entries[len(a.record.Entries)-1].Offset
		for i := range a.record.Entries {
			e := &a.record.Entries[i]
			e.Offset, e.Content = a.record.Base+int64(i)+1, a.random.Uint64()
			fill(a.random, e.Keys)
		}
		if a.Follower.apply(a.at, 0, &a.record) != nil {
			panic("the record is refused")
		}
		a.at.Offset++
		select {
		case ask := <-a.asks:
			ask()
			a.answered++
		default:
		}
	}
}

// numbers returns a text of 300 words that is like no other.
func numbers(random *rand.Rand) (text []byte) {
	for range 300 {
		text = fmt.Appendf(text, "%d ", random.Uint32())
	}
	return text
}

func fill(random *rand.Rand, b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		binary.LittleEndian.PutUint64(b, random.Uint64())
	}
}

// timed returns the processor time that this thread took to apply documents.
func (a *applier) timed(b *testing.B, documents int) time.Duration {
	b.Helper()
	began := threadTime(b)
	a.apply(documents)
	return threadTime(b) - began
}

func threadTime(b *testing.B) time.Duration {
	b.Helper()
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		b.Fatal(err)
	}
	return time.Duration(t.Nano())
}

// lookUp asks so often a second, each time for another text, until it is stopped.
func (a *applier) lookUp(b *testing.B, each int) (stop func()) {
	b.Helper()
	signer, err := index.NewSigner(a.params)
	if err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(b.Context())
	var asking sync.WaitGroup
	asking.Go(func() {
		random := rand.New(rand.NewPCG(3, 4))
		tick := time.NewTicker(time.Second / time.Duration(each))
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			var e entry.Entry
			signer.Reset()
			signer.Sign(&e, numbers(random))
			if a, err := a.Lookup(ctx, &e, 1); err != nil && ctx.Err() == nil || len(a.Hits) > 0 {
				b.Errorf("Lookup of random numbers = %+v, error %v; want no hits", a, err)
			}
		}
	})
	return func() { cancel(); asking.Wait() }
}
