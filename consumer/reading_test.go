package consumer

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index"
)

// Stats do not wait for a record that is being applied. Here one is being applied for as long as they are asked for.
func TestNumbersDoNotWait(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	m := w.start()
	w.produce(50, 5)
	w.settled()
	answered := make(chan Stats)
	m.follower().Look(func(r *index.Replica) {
		go func() { answered <- m.Stats() }()
		select {
		case got := <-answered:
			if got.JournalNext != r.Next() || got.Index.Judged != r.Stats().Judged || got.Index.Judged != 50 ||
				got.AppliedTime == 0 {
				t.Errorf("next is %d of %d, %d judged, applied at %d", got.JournalNext, r.Next(), got.Index.Judged, got.AppliedTime)
			}
		case <-w.context().Done():
			t.Error("the numbers wait for the replica")
		}
	})
	w.audited()
}

// shuffled returns texts of 32 kB that share nearly all their shingles, each in another order. They share bands, are
// far from similar by their edits, and are as costly to compare as possible.
func shuffled(texts int) (records []*kgo.Record) {
	r := rand.New(rand.NewPCG(11, 1))
	blocks := make([]string, 100)
	for i := range blocks {
		blocks[i] = words(r, 45)
	}
	for i := range texts {
		var text []string
		for _, k := range r.Perm(len(blocks)) {
			text = append(text, blocks[k])
		}
		records = append(records, &kgo.Record{Key: fmt.Append(nil, i), Value: []byte(strings.Join(text, " "))})
	}
	return records
}

// Documents that are costly to compare, and no copies, do not make the replica lag. Each shares its bands with all
// before, is compared with the one or two for which its budget suffices, and its verdict says so. How long that takes
// depends on the machine.
func TestCostlyDocumentsDoNotStarve(t *testing.T) {
	t.Parallel()
	const texts = 50
	w := newWorld(t, 1)
	said := w.logged()
	w.setup.Index.Duplicates.Verify, w.setup.Index.Duplicates.Shingle = "levenshtein", "char:4"
	w.setup.Params.MaxLag = time.Hour
	m := w.start()
	w.send(shuffled(texts)...)
	w.settled()
	w.becomes("it is ready", m.Ready)
	w.becomes("the log says that candidates were left out", func() bool { return said.has("may be copies") })
	stats := m.Stats()
	if compared := texts*(texts-1)/2 - int(stats.Index.Unverified); compared > 2*texts || stats.Index.UniqueCut == 0 {
		t.Errorf("%d pairs were compared; %+v", compared, stats.Index)
	}
	cut := 0
	for _, r := range w.outputs("news.unique", texts) {
		for _, h := range r.Headers {
			if h.Key == "unecho-cut" {
				cut++
			}
		}
	}
	if uint64(cut) != stats.Index.UniqueCut {
		t.Errorf("%d records say that they were cut, %d were", cut, stats.Index.UniqueCut)
	}
}
