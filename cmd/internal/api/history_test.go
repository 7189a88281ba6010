package api

import (
	"encoding/json"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/sink"
)

// TestRates: those of the last minute, and none before there are two readings. A replica that is restored begins to
// count anew what entered it, and the process counts on.
func TestRates(t *testing.T) {
	var h history
	if h.now() != nil || h.entering() != 0 || len(h.points()) > 0 {
		t.Error("without a reading")
	}
	at := time.Unix(1_700_000_000, 0)
	for i := range uint64(40) {
		s := consumer.Stats{Unique: 30 * i, Duplicate: 20 * i}
		s.Index.Unique = 25 * i
		h.add(&s, at.Add(time.Duration(i)*sampleEvery))
	}
	if got := h.now(); got.Documents != 10 || *got.Duplicates != 0.4 || got.Seconds != 60 || h.entering() != 5 {
		t.Errorf("the rates are %+v, and %v documents enter each second; want 10 documents each second, 0.4 of them duplicates, over 60 s, "+
			"and 5 that enter", got, h.entering())
	}
	s := consumer.Stats{Unique: 1200, Duplicate: 800}
	for i, entered := range []uint64{10, 20} {
		s.Index.Unique = entered
		if h.add(&s, at.Add(time.Duration(40+i)*sampleEvery)); h.entering() != float64(2*i) {
			t.Errorf("%v documents enter a restored replica each second, want %d", h.entering(), 2*i)
		}
	}
	if got := h.now(); got.Documents <= 0 || len(h.points()) != 41 {
		t.Errorf("across a restored replica the rate is %+v of %d points", got, len(h.points()))
	}
}

// TestPoint: what a point has of two readings.
func TestPoint(t *testing.T) {
	delays := func(counts ...uint64) (d consumer.Histogram) {
		d = consumer.Histogram{Bounds: []float64{1, 2, 4}, Counts: counts}
		for _, n := range counts {
			d.Count += n
		}
		return d
	}
	at := time.UnixMilli(1_700_000_000_000)
	var h history
	h.add(&consumer.Stats{SourceLag: -1, Delay: delays(7, 0, 0, 0)}, at)
	s := consumer.Stats{
		Unique: 50, Duplicate: 30, Unchecked: 10, Rejected: map[sink.Reason]uint64{sink.Empty: 4, sink.TooLarge: 6},
		SourceLag: 12, Lags: []consumer.PartitionLag{{PartitionName: entry.Name("news", 0), Seconds: 1.5}, {Seconds: -1}},
		Delay: delays(7, 50, 40, 10),
	}
	h.add(&s, at.Add(5*time.Second))
	h.add(&s, at.Add(10*time.Second))
	got := h.points()
	if text := string(must(json.Marshal(got[0]))(t)); text != `{"time":"2023-11-14T22:13:25.000Z","over_s":5,"documents_per_s":20,`+
		`"unique_per_s":10,"duplicate_per_s":6,"rejected_per_s":2,"duplicate_share":0.3,"median_s":2,"slowest_s":4,"lag_documents":12,"lag_s":1.5}` {
		t.Errorf("a point is %s", text)
	}
	s.FileReads, s.FileLate = 500, 20
	h.add(&s, at.Add(15*time.Second))
	if p := h.points()[2]; p.Reads != 100 || p.Late != 4 {
		t.Errorf("of 500 reads in 5 s, 20 of them late, a point has %+v", p)
	}
	if p := got[1]; p.Documents != 0 || p.Duplicates != nil || p.Median != nil || p.Slowest != nil || *p.Lag != 12 {
		t.Errorf("without documents it is %+v", p)
	}
	from, to := delays(), delays(0, 3, 1, 0)
	if m := quantile(&from, &to, 0.5); math.Abs(*m-(1+2.0/3)) > 1e-9 {
		t.Errorf("the median is %v, two thirds of the way through the second bucket", *m)
	}
}

// clocked is a service that commits a unique document each second.
type clocked struct {
	*fake
	began time.Time
}

func (c *clocked) Stats() consumer.Stats {
	s := c.stats
	s.Unique = uint64(time.Since(c.began) / time.Second)
	return s
}

// TestHistory: a member adds a point every five seconds, has those of the last quarter of an hour, and one that was
// started again begins anew.
func TestHistory(t *testing.T) {
	d := serve(t, newFake(t), nil)
	synctest.Test(t, func(t *testing.T) {
		service := &clocked{fake: newFake(t), began: time.Now()}
		begin := func() (ask func() []shape.Rate) {
			a := must(New(&Setup{
				Service: service, Sources: anySource(), Access: Access{Loopback: true}, Limits: Limits{RequestsPerS: 100}, Logger: zerolog.Nop(),
			}))(t)
			go a.Run(t.Context())
			return func() []shape.Rate {
				synctest.Wait()
				w := httptest.NewRecorder()
				a.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/api/v1/history", http.NoBody))
				var got shape.History
				rewrites(t, "history", strings.TrimSpace(w.Body.String()), &got)
				d.holds(http.MethodGet, "/api/v1/history", w.Result(), w.Body.Bytes())
				return got.Points
			}
		}
		ask := begin()
		for seconds, want := range []int{0, 0, 0, 0, 0, 1} {
			if got := ask(); len(got) != want {
				t.Errorf("after %d s there are %d points, want %d", seconds, len(got), want)
			}
			time.Sleep(time.Second)
		}
		time.Sleep(20 * time.Minute)
		got := ask()
		last := got[len(got)-1]
		if span := last.Time.Sub(got[0].Time.Time); len(got) != 180 || span != 179*sampleEvery ||
			last.Time.Sub(service.began) != 1205*time.Second || got[0].Documents != 1 {
			t.Errorf("there are %d points of %v, the last %+v; want the last quarter of an hour, with a document a second", len(got), span, last)
		}
		if again := begin(); len(again()) > 0 {
			t.Error("another process has points of this one")
		}
	})
}
