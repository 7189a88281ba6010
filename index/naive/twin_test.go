package naive_test

import (
	"math"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/naive"
)

const (
	settings = `{"test":"settings"}`
	start    = int64(1_000_000)
)

var fingerprint = index.Fingerprint([]byte(settings))

var (
	p0 = entry.Source{Topic: [16]byte{1}, Partition: 0}
	p1 = entry.Source{Topic: [16]byte{1}, Partition: 1}
)

// params makes band keys one byte long, so that a test writes the keys of two bands as "ab".
func params() index.Params {
	p := index.DefaultParams()
	p.Similarity.KeyBytes, p.Similarity.Shingle, p.Similarity.Threshold = 1, "word:1", 0.5
	p.Similarity.Evidence = "text"
	p.Window = index.WindowParams{Clock: "arrival", Tolerance: time.Second, Count: 1000}
	return p
}

func doc(offset int64, keys, text string) entry.Entry {
	return entry.Entry{
		Offset: offset, Time: start, Content: xxhash.Sum64String(text), Keys: []byte(keys), Kind: entry.Text,
		Evidence: entry.AppendText(nil, []byte(text)),
	}
}

// story appends records to a twin, one journal offset and one millisecond after the other.
type story struct {
	t    *testing.T
	twin *naive.Twin
	next int64
	now  int64
}

func begin(t *testing.T, p index.Params) *story {
	s := &story{t: t, twin: naive.New(p, []byte(settings), fingerprint), now: start}
	s.append(&index.Settings{Text: []byte(settings), Wall: start})
	for _, p := range []entry.Source{p0, p1} {
		s.append(&index.Reposition{Header: s.header(), Source: p, Name: "news", Epoch: 1})
	}
	return s
}

func (s *story) header() index.Header { return index.Header{Fingerprint: fingerprint, Wall: s.now} }

func (s *story) append(rec index.Record) []index.Verdict {
	s.now++
	s.next++
	return s.twin.Apply(index.Stamp{Offset: s.next - 1, LogAppendTime: s.now}, rec)
}

func (s *story) run(source entry.Source, epoch uint32, base int64, entries ...entry.Entry) []index.Verdict {
	s.t.Helper()
	return s.append(&index.Run{Header: s.header(), Source: source, Epoch: epoch, Base: base, Entries: entries})
}

// one judges a single document of p1 that must be judged.
func (s *story) one(e entry.Entry) index.Verdict {
	s.t.Helper()
	verdicts := s.run(p1, 1, 0, e)
	if len(verdicts) != 1 {
		s.t.Fatalf("offset %d: %d verdicts, want 1", e.Offset, len(verdicts))
	}
	return verdicts[0]
}

// copyOf expects v to be a duplicate of the document at an offset of p0.
func (s *story) copyOf(v index.Verdict, offset int64) {
	s.t.Helper()
	if v.Unique() || v.Match.Source != p0 || v.Match.Offset != offset {
		s.t.Errorf("offset %d: %+v, want a duplicate of %d", v.Offset, v.Match, offset)
	}
}

func (s *story) unique(v index.Verdict) {
	s.t.Helper()
	if !v.Unique() {
		s.t.Errorf("offset %d: %+v, want unique", v.Offset, v.Match)
	}
}

func TestFirstSettingsWin(t *testing.T) {
	for _, c := range []struct {
		name  string
		texts []string
		ours  bool
	}{
		{"ours", []string{settings}, true},
		{"ours, then others", []string{settings, "{}"}, true},
		{"others, then ours", []string{"{}", settings}, false},
		{"none", nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := &story{t: t, twin: naive.New(params(), []byte(settings), fingerprint), now: start}
			for _, text := range c.texts {
				s.append(&index.Settings{Text: []byte(text), Wall: s.now})
			}
			s.append(&index.Reposition{Header: s.header(), Source: p0, Epoch: 1})
			if _, known := s.twin.Partition(p0); known != c.ours || s.twin.Ours() != c.ours {
				t.Errorf("ours %v, reposition applied %v; want %v", s.twin.Ours(), known, c.ours)
			}
			if arrival, _ := s.twin.Clock(); (arrival > 0) != c.ours {
				t.Errorf("arrival clock %d", arrival)
			}
		})
	}
}

func TestWhatChangesNothing(t *testing.T) {
	stranger := func(s *story) index.Header { return index.Header{Fingerprint: fingerprint + 1, Wall: s.now} }
	for _, c := range []struct {
		name string
		rec  func(s *story) index.Record
	}{
		{"run of another epoch", func(s *story) index.Record {
			return &index.Run{Header: s.header(), Source: p0, Epoch: 2, Base: 7, Entries: []entry.Entry{doc(9, "zz", "z")}}
		}},
		{"run of an unknown partition", func(s *story) index.Record {
			return &index.Run{Header: s.header(), Source: entry.Source{Partition: 9}, Entries: []entry.Entry{doc(9, "zz", "z")}}
		}},
		{"run of other settings", func(s *story) index.Record {
			return &index.Run{Header: stranger(s), Source: p0, Epoch: 1, Base: 7, Entries: []entry.Entry{doc(9, "zz", "z")}}
		}},
		{"reposition to the same epoch", func(s *story) index.Record {
			return &index.Reposition{Header: s.header(), Source: p0, Epoch: 1, Offset: 5}
		}},
		{"reposition two epochs on", func(s *story) index.Record {
			return &index.Reposition{Header: s.header(), Source: p0, Epoch: 3, Offset: 5}
		}},
		{"reposition of other settings", func(s *story) index.Record {
			return &index.Reposition{Header: stranger(s), Source: p0, Epoch: 2, Offset: 5}
		}},
		{"forget of other settings", func(s *story) index.Record {
			return &index.Forget{Header: stranger(s), Target: entry.Position{Offset: 3}}
		}},
		{"checkpoint of other settings", func(s *story) index.Record { return &index.Checkpoint{Header: stranger(s)} }},
		{"settings again", func(s *story) index.Record { return &index.Settings{Text: []byte(settings), Wall: s.now} }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := begin(t, params())
			s.run(p0, 1, 0, doc(1, "ab", "one"))
			before, _ := s.twin.Partition(p0)
			arrival, _ := s.twin.Clock()
			s.now += 1000
			if v := s.append(c.rec(s)); len(v) > 0 {
				t.Errorf("verdicts %+v", v)
			}
			after, _ := s.twin.Partition(p0)
			if now, _ := s.twin.Clock(); now != arrival || after.Epoch != before.Epoch || after.Base != before.Base ||
				len(after.Held) != 1 {
				t.Errorf("clock %d to %d, state %+v to %+v", arrival, now, before, after)
			}
			s.copyOf(s.one(doc(1, "ab", "one")), 1)
		})
	}
}

func TestFirstAppendWins(t *testing.T) {
	s := begin(t, params())
	s.run(p0, 1, 0, doc(3, "ab", "one"), doc(1, "cd", "two"), doc(3, "ef", "three")) // any order; the second 3 is known
	if again := s.run(p0, 1, 0, doc(1, "cd", "two"), doc(3, "gh", "four")); len(again) != 0 {
		t.Errorf("judged again: %+v", again)
	}
	if between := s.run(p0, 1, 2, doc(2, "ij", "five"), doc(1, "kl", "six")); len(between) != 1 || between[0].Offset != 2 {
		t.Errorf("want offset 2 judged, 1 below base: %+v", between)
	}
	state, _ := s.twin.Partition(p0)
	if state.Base != 2 || len(state.Held) != 2 || state.Held[3].Content != xxhash.Sum64String("one") {
		t.Errorf("state %+v", state)
	}
	if v := state.Held[3]; v.Position != (entry.Position{Offset: 3, Entry: 0}) {
		t.Errorf("position %+v", v.Position)
	}
	s.run(p0, 1, 1) // an old base changes nothing
	if state, _ = s.twin.Partition(p0); state.Base != 2 {
		t.Errorf("base %d", state.Base)
	}
	s.copyOf(s.one(doc(0, "cd", "two")), 1) // a document below base is still in the index
}

func TestRepositionKillsWhatWillBeReadAgain(t *testing.T) {
	s := begin(t, params())
	s.run(p0, 1, 0, doc(1, "ab", "one"), doc(5, "cd", "five"))
	s.run(p0, 1, 3)
	// forward: base 3 decides
	s.append(&index.Reposition{Header: s.header(), Source: p0, Name: "renamed", Offset: 9, Epoch: 2})
	state, _ := s.twin.Partition(p0)
	if state.Epoch != 2 || state.Start != 9 || state.Base != 9 || len(state.Held) != 0 {
		t.Errorf("state %+v", state)
	}
	v := s.one(doc(1, "ab", "one"))
	s.copyOf(v, 1)
	if v.Match.Topic != "renamed" {
		t.Errorf("topic %q, want the latest name", v.Match.Topic)
	}
	s.unique(s.one(doc(2, "cd", "five")))
	if old := s.run(p0, 1, 50, doc(60, "gh", "sixty")); len(old) != 0 {
		t.Errorf("an earlier epoch judged %+v", old)
	}
	s.append(&index.Reposition{Header: s.header(), Source: p0, Offset: 0, Epoch: 3})
	again := s.run(p0, 3, 0, doc(1, "ab", "one"))
	if len(again) != 1 {
		t.Fatalf("verdicts %+v", again)
	}
	s.unique(again[0]) // not a duplicate of itself
	if v := s.one(doc(3, "ab", "one")); v.Match.Copy != 2 {
		t.Errorf("copy %d: a new representative begins to count anew", v.Match.Copy)
	}
	if v := s.one(doc(4, "cd", "five")); v.Unique() || v.Match.Source != p1 {
		t.Errorf("%+v: other partitions keep their documents", v)
	}
}

func TestForget(t *testing.T) {
	s := begin(t, params())
	s.run(p0, 1, 0, doc(1, "ab", "one"))
	position := entry.Position{Offset: s.next - 1}
	v := s.one(doc(1, "ab", "one"))
	s.copyOf(v, 1)
	if v := s.append(&index.Forget{Header: s.header(), Target: position}); len(v) != 0 {
		t.Errorf("verdicts %+v", v)
	}
	if state, _ := s.twin.Partition(p0); !state.Held[1].Forgotten {
		t.Errorf("held %+v", state.Held)
	}
	if state, _ := s.twin.Partition(p1); state.Held[1].Forgotten {
		t.Error("a copy that was judged already stands")
	}
	s.unique(s.one(doc(2, "ab", "one")))
	s.append(&index.Forget{Header: s.header(), Target: v.Position})
	if state, _ := s.twin.Partition(p1); !state.Held[1].Forgotten {
		t.Error("the position of a copy can be named too")
	}
}

func TestClocks(t *testing.T) {
	for _, c := range []struct {
		name                 string
		broker, wall, at     int64
		wantArrive, wantHave int64
	}{
		{"broker's time", 500, 500, 400, 500, 400},
		{"appender's clock behind: capped", 5000, 100, 0, 1100, 0},
		{"appender's clock ahead", 500, 90_000, 0, 500, 0},
		{"document from 2099: capped", 500, 500, 1 << 50, 500, 1500},
		{"broker's clock falls", -700, 500, 0, 0, 0},
		{"absurd clocks", 500, math.MaxInt64, math.MinInt64, 500, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := params()
			p.Window.Clock = "event"
			s := begin(t, p)
			e := doc(1, "ab", "one")
			e.Time = start
			s.run(p0, 1, 0, e)
			e = doc(2, "ab", "two")
			arrival, event := s.twin.Clock()
			e.Time = c.at
			if c.at >= 0 && c.at < 1<<50 {
				e.Time += event
			}
			wall := c.wall
			if wall < math.MaxInt64 {
				wall += arrival
			}
			s.twin.Apply(index.Stamp{Offset: s.next, LogAppendTime: arrival + c.broker}, &index.Run{
				Header: index.Header{Fingerprint: fingerprint, Wall: wall}, Source: p0, Epoch: 1, Entries: []entry.Entry{e},
			})
			gotArrival, gotEvent := s.twin.Clock()
			wantEvent := event + c.wantHave
			if c.at == 1<<50 {
				wantEvent = arrival + c.wantHave
			}
			if gotArrival != arrival+c.wantArrive || gotEvent != wantEvent {
				t.Errorf("arrival +%d, event +%d; want +%d, +%d", gotArrival-arrival, gotEvent-event, c.wantArrive, wantEvent-event)
			}
		})
	}
}
