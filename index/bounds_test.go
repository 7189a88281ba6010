package index_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
)

// boundsOf returns the bounds of p as a text.
func boundsOf(p index.Params) []byte {
	return index.BoundsOf(setting.Canonical("", map[string]any{"": p}))
}

func TestWith(t *testing.T) {
	p := index.DefaultParams()
	q := p
	q.Duplicates.Threshold, q.Duplicates.MaxCandidates = 0.9, 3
	q.Duplicates.Remember.Age, q.Duplicates.Remember.Documents, q.Duplicates.Remember.Memory = time.Hour, 5, setting.MiB
	q.Duplicates.Remember.Refresh, q.Duplicates.Remember.ReemitEvery, q.Duplicates.CompareCopies = "last", time.Minute, true
	got, err := p.With(boundsOf(q))
	if err != nil {
		t.Fatal(err)
	}
	if got.Duplicates.Signed == (index.Signed{}) {
		t.Error("bands would be planned for the new threshold")
	}
	if got.Duplicates.Signed = (index.Signed{}); !reflect.DeepEqual(got, q) {
		t.Errorf("got %+v", got)
	}
	for text, known := range map[string]bool{
		`{"duplicates.colour":"red"}`: false, `{"duplicates.slots":64}`: false, `{"duplicates.remember.refresh":"never"}`: false,
		`{"duplicates.remember.age":"long"}`: false,
		`{"duplicates.remember.age":"1h"}`:   true, `{}`: true,
	} {
		if _, err := p.With([]byte(text)); errors.Is(err, index.ErrBounds) == known {
			t.Errorf("With(%s) says %v; want bounds that are known: %t", text, err, known)
		}
	}
	if _, err := p.With([]byte("x")); err == nil || errors.Is(err, index.ErrBounds) {
		t.Errorf("got %v", err)
	}
}

// What is signed does not depend on bounds that were changed: the bands are those that the journal was begun with.
func TestSignedAsBegun(t *testing.T) {
	for verify, other := range map[string]string{"jaccard": "levenshtein", "levenshtein": "jaccard"} {
		p := index.DefaultParams()
		p.Duplicates.Shingle, p.Duplicates.Verify = "char:3", verify
		if verify == "jaccard" {
			p.Duplicates.Evidence = "text"
		}
		q := p
		q.Duplicates.Threshold, q.Duplicates.Verify = 0.95, other
		changed, err := p.With(boundsOf(q))
		if err != nil {
			t.Fatal(err)
		}
		text := []byte(strings.Repeat("the quick brown fox jumps over the lazy dog. ", 1000))
		var signed [2]entry.Entry
		for i, p := range []index.Params{p, changed} {
			signer, err := index.NewSigner(p)
			if err != nil || !signer.Sign(&signed[i], text) {
				t.Fatal(err)
			}
		}
		if !reflect.DeepEqual(signed[0], signed[1]) {
			t.Errorf("%s to %s: documents are signed otherwise", verify, other)
		}
		if back, err := changed.With(boundsOf(p)); err != nil || back.Duplicates.Signed != (index.Signed{}) {
			t.Errorf("With the first bounds gives Signed %+v, error %v; want it empty, and no error", back.Duplicates.Signed, err)
		}
	}
}

// narrowed is a window that is narrowed, beside its twin.
type narrowed struct {
	*pair
	random *rand.Rand
	number uint32
}

// judge judges documents, of which some are copies of those that were judged at most so many documents before.
func (n *narrowed) judge(documents int, since int64) {
	n.t.Helper()
	run := &index.Run{Header: n.header(), Source: source(0), Epoch: 1, Base: n.offset}
	for range documents {
		of := n.offset
		if n.random.IntN(4) == 0 {
			of = max(0, of-n.random.Int64N(since))
		}
		e := entry.Entry{Offset: n.offset}
		n.signer.Sign(&e, fmt.Appendf(nil, "%d %d %d", of*7919, of*104729, of*1299709))
		run.Entries = append(run.Entries, e.Clone())
		n.offset++
	}
	n.apply(run)
	n.at.LogAppendTime++
}

func (n *narrowed) change(set func(*index.Params)) {
	n.t.Helper()
	p := n.slow.Params()
	set(&p)
	n.number++
	n.apply(&index.SettingsChange{Header: n.header(), Bounds: index.Bounds{Number: n.number, Text: boundsOf(p)}})
}

// Bounds that are narrowed by far let go of what they have no room for in turns, as the twin says, whatever is
// repeated meanwhile and wherever a replica is restored.
func TestNarrow(t *testing.T) {
	for _, how := range []struct {
		name string
		wide func(*index.Params)
		less func(*index.Params)
	}{
		{"count", func(*index.Params) {}, func(p *index.Params) { p.Duplicates.Remember.Documents = 300 }},
		{"bytes", func(p *index.Params) { p.Duplicates.Remember.Memory = 64 * setting.MiB }, func(p *index.Params) { p.Duplicates.Remember.Memory = 64 * setting.KiB }},
		{"age", func(p *index.Params) { p.Duplicates.Remember.Age = time.Hour }, func(p *index.Params) { p.Duplicates.Remember.Age = 20 * time.Millisecond }},
		{"repeated ones enter again", func(p *index.Params) { p.Duplicates.Remember.Refresh = "last" }, func(p *index.Params) { p.Duplicates.Remember.Documents = 300 }},
		{
			"age counts from the document itself again",
			func(p *index.Params) { p.Duplicates.Remember.Refresh, p.Duplicates.Remember.Age = "last", time.Hour }, func(p *index.Params) {
				p.Duplicates.Remember.Refresh, p.Duplicates.Remember.Age = "first", 20*time.Millisecond
			},
		},
		{"all", func(p *index.Params) { p.Duplicates.Remember.Refresh, p.Duplicates.CompareCopies = "last", true }, func(p *index.Params) { p.Duplicates.Remember.Documents, p.Duplicates.CompareCopies = 300, false }},
	} {
		t.Run(how.name, func(t *testing.T) {
			t.Parallel()
			p := index.DefaultParams()
			p.Duplicates.Method, p.Duplicates.Verify, p.Duplicates.Shingle = "simhash", "estimate", "word:1"
			p.Duplicates.Remember.Age, p.Duplicates.Remember.Memory, p.Duplicates.Remember.Documents = 0, 0, 6000
			how.wide(&p)
			n := &narrowed{pair: newPair(t, p), random: rand.New(rand.NewPCG(1, 2))}
			for range 60 {
				n.judge(100, 5000)
			}
			n.change(how.less)
			before := n.fast.Stats().Documents
			if !n.fast.Narrowing() {
				t.Fatalf("%d documents are within the bounds at once", before)
			}
			turns := 0
			for ; n.fast.Narrowing() && turns < 1000; turns++ {
				n.judge(1, 2000)
				if left := before - n.fast.Stats().Documents; left > index.MostLeaving {
					t.Fatalf("%d documents leave in one turn", left)
				}
				before = n.fast.Stats().Documents
				n.fast = restored(t, p, n.fast, turns%2 == 0)
			}
			if turns < 3 || turns == 1000 {
				t.Errorf("it takes %d turns", turns)
			}
			n.change(how.wide)
			for range 10 {
				n.judge(100, 400)
			}
		})
	}
}

// Copies that entered before keep: representatives find their representative when it enters again after that, and
// match as copies of it do.
func TestCopiesOfBeforeFindWhatEntersAgain(t *testing.T) {
	t.Parallel()
	p := index.DefaultParams()
	p.Duplicates.Shingle, p.Duplicates.CompareCopies = "word:1", true
	p.Duplicates.Remember.Age, p.Duplicates.Remember.Memory = time.Minute, 0
	n := &narrowed{pair: newPair(t, p)}
	say := func(text string) index.Verdict {
		e := entry.Entry{Offset: n.offset}
		n.signer.Sign(&e, []byte(text))
		n.offset++
		run := &index.Run{Header: n.header(), Source: source(0), Epoch: 1, Base: e.Offset, Entries: []entry.Entry{e.Clone()}}
		return n.apply(run)[0]
	}
	const first, copied = "a b c d e f g h i j k l m n o p q r s t", "a b c d e f g h i j k l m n o p q r s u"
	say(first)
	n.at.LogAppendTime += 30_000
	say(copied)
	n.change(func(p *index.Params) { p.Duplicates.Remember.Refresh, p.Duplicates.CompareCopies = "last", false })
	n.at.LogAppendTime += 10_000
	say(first) // so that it enters again when its turn to leave comes
	n.at.LogAppendTime += 25_000
	say("of something else entirely")
	if v := say(copied); v.Match.Offset != 0 || v.Match.Method != compare.Identical {
		t.Errorf("the verdict is %+v; want a duplicate of the first document, by its copy", v)
	}
}
