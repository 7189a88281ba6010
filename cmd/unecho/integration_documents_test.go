package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// author makes up documents. About a third are copies of others, exact or edited, and a few are empty.
type author struct {
	r       *rand.Rand
	texts   []string
	written int
	recent  int // half of the copies are of the latest so many documents; 0: none is chosen so
}

func newAuthor(seed uint64) *author { return &author{r: rand.New(rand.NewPCG(seed, 11))} }

// documents returns n more documents, for random partitions.
func (a *author) documents(n int, partitions int32) []*kgo.Record {
	records := make([]*kgo.Record, n)
	for i := range records {
		text := words(a.r, 60)
		if len(a.texts) > 0 && a.r.IntN(3) == 0 {
			from := 0
			if a.recent > 0 && a.r.IntN(2) == 0 {
				from = max(0, len(a.texts)-a.recent)
			}
			text = a.texts[from+a.r.IntN(len(a.texts)-from)]
			if a.r.IntN(2) == 0 {
				text += fmt.Sprint(" edited", a.r.IntN(1000))
			}
		}
		a.texts = append(a.texts, text)
		records[i] = &kgo.Record{
			Partition: a.r.Int32N(partitions), Key: fmt.Appendf(nil, "k%d", a.written), Value: []byte(text),
			Headers: []kgo.RecordHeader{{Key: "lang", Value: []byte("en")}, {Key: "unecho-verdict", Value: []byte("forged")}},
		}
		a.written++
		if a.r.IntN(500) == 0 {
			records[i].Value = nil
		}
	}
	return records
}

func words(r *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "w%x ", r.IntN(1<<20))
	}
	return b.String()
}

// produce sends n documents of an author.
func (s *scene) produce(n int, seed uint64) {
	s.t.Helper()
	s.send(s.as(newAuthor(seed).documents(n, int32(len(s.partitions()))))...)
}

// as writes texts as the scene's values.
func (s *scene) as(records []*kgo.Record) []*kgo.Record {
	for _, r := range records {
		if s.valued != nil && r.Value != nil {
			r.Value = s.valued(r.Value)
		}
	}
	return records
}

// stream sends documents all the time. What it has sent is its own until it has ended. Nothing else may be sent
// meanwhile.
type stream struct {
	stop func()
	done chan struct{}
	sent map[int32]int64
	err  error
}

// streamPause is the time between two portions of a stream.
const streamPause = 50 * time.Millisecond

// streams begins a stream.
func (s *scene) streams(perSecond int, seed uint64) *stream {
	s.t.Helper()
	stop := make(chan struct{})
	d := &stream{stop: sync.OnceFunc(func() { close(stop) }), done: make(chan struct{}), sent: map[int32]int64{}}
	s.t.Cleanup(func() {
		d.stop()
		<-d.done
	})
	a, partitions := newAuthor(seed), int32(len(s.partitions()))
	a.recent = perSecond
	n := perSecond * int(streamPause) / int(time.Second)
	go func() {
		defer close(d.done)
		tick := time.NewTicker(streamPause)
		defer tick.Stop()
		for d.err == nil {
			d.err = d.send(s, s.as(a.documents(n, partitions)))
			select {
			case <-tick.C:
			case <-stop:
				return
			}
		}
	}()
	return d
}

func (d *stream) send(s *scene, records []*kgo.Record) error {
	for _, res := range s.client.ProduceSync(s.t.Context(), records...) {
		if res.Err != nil {
			return res.Err
		}
		d.sent[res.Record.Partition] = max(d.sent[res.Record.Partition], res.Record.Offset+1)
	}
	return nil
}

// end ends the stream. What it has sent is the scene's from then on.
func (d *stream) end(s *scene) {
	s.t.Helper()
	d.stop()
	<-d.done
	check(s.t, d.err)
	for p, end := range d.sent {
		s.sent[p] = max(s.sent[p], end)
	}
}
