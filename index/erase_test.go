package index_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// eraser is a replica with one document and a record that erases it.
type eraser struct {
	*stand
	verdict index.Verdict
	entry   entry.Entry
}

func newEraser(t *testing.T, p index.Params) *eraser {
	t.Helper()
	e := &eraser{stand: newStand(t, p)}
	e.verdict = e.judge(secret)
	e.entry = e.record.Entries[0].Clone()
	return e
}

const secret = "the quick brown fox jumps over the lazy dog and tells nobody where it has been all night long"

func (e *eraser) judge(text string) index.Verdict {
	e.sign([]byte(text))
	e.record.Entries[0].ID = []byte("an id that tells who")
	return e.replica.Apply(e.at, &e.record).Judged[0]
}

func (e *eraser) erase(targets ...entry.Position) index.Effect {
	e.at.Offset++
	return e.replica.Apply(e.at, &index.Erase{Header: e.record.Header, Targets: targets})
}

// remains returns what the replica, or a capture of it, still has of the document that was erased.
func (e *eraser) remains(c *index.Capture) (remains []string) {
	all := c.State()
	for i := range c.Segments {
		all = c.Segments[i].Append(all)
	}
	for name, secret := range map[string][]byte{"id": e.entry.ID, "evidence": e.entry.Evidence} {
		if bytes.Contains(all, secret) {
			remains = append(remains, name)
		}
	}
	slices.Sort(remains)
	return remains
}

// TestErase: what was erased matches nothing and is in no later snapshot, and a capture that was taken before stays
// as it was. The verdict that is held stays.
func TestErase(t *testing.T) {
	e := newEraser(t, index.DefaultParams())
	before := e.replica.Capture()
	size := e.replica.Stats().WindowBytes
	if effect := e.erase(e.verdict.Position, entry.Position{Offset: 1 << 40}, e.verdict.Position); !effect.Applied {
		t.Fatal("the record did not apply")
	}
	if got := e.remains(&before); len(got) != 2 {
		t.Errorf("a capture of before has only %v", got)
	}
	after := e.replica.Capture()
	if got := e.remains(&after); len(got) != 0 {
		t.Errorf("a capture of after has %v", got)
	}
	if got := e.replica.Stats().WindowBytes; got != size {
		t.Errorf("the window counts %d bytes, before %d", got, size)
	}
	if v, held := e.replica.Held(e.record.Source, 1, e.verdict.Offset); !held || v != e.verdict {
		t.Errorf("the verdict that is held became %+v", v)
	}
	again := restored(t, index.DefaultParams(), e.replica, false)
	for _, r := range []*index.Replica{e.replica, again} {
		e.replica = r
		at, record := e.at, e.record
		if v := e.judge(secret); v.Matched() {
			t.Errorf("a copy of what was erased matched: %+v", v)
		}
		e.at, e.record = at, record
	}
}

// TestEraseIsBounded: a record of too many targets changes nothing.
func TestEraseIsBounded(t *testing.T) {
	e := newEraser(t, index.DefaultParams())
	targets := slices.Repeat([]entry.Position{e.verdict.Position}, index.MostErased+1)
	if e.erase(targets...).Applied {
		t.Error("it applied")
	}
	if v := e.judge(secret); !v.Matched() {
		t.Error("the document was erased")
	}
	if !e.erase(targets[1:]...).Applied {
		t.Error("a record of as many targets as there may be did not apply")
	}
}

// TestSortTargets: they come in the order of the journal, each once.
func TestSortTargets(t *testing.T) {
	at := func(offset int64, number int32) entry.Position { return entry.Position{Offset: offset, Entry: number} }
	got := index.SortTargets([]entry.Position{at(3, 1), at(1, 2), at(3, 0), at(1, 2)})
	if want := []entry.Position{at(1, 2), at(3, 0), at(3, 1)}; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
}

// TestErasedAmongBoilerplate: where work decides which candidates are compared, a replica that remembers what the
// erased documents looked like judges as one that was restored since.
func TestErasedAmongBoilerplate(t *testing.T) {
	const held, length = 2000, 200
	p := index.DefaultParams()
	p.Duplicates.MaxWork = 2000
	s := newStand(t, p)
	texts := templated(rand.New(rand.NewPCG(2, 3)), held+200, length, length*85/100)
	var targets []entry.Position
	for i, text := range texts[:held] {
		if v := s.judge([]byte(strings.Join(text, " "))); i >= held-index.MostErased {
			targets = append(targets, v.Position)
		}
	}
	s.at.Offset++
	s.replica.Apply(s.at, &index.Erase{Header: s.record.Header, Targets: targets})
	again := restored(t, p, s.replica, false)
	was := s.replica.Stats()
	for _, text := range texts[held:] {
		one := *s.judge([]byte(strings.Join(text, " ")))
		if other := again.Apply(s.at, &s.record).Judged[0]; one != other {
			t.Fatalf("got\n%+v\nthe restored replica says\n%+v", one, other)
		}
	}
	is, other := s.replica.Stats(), again.Stats()
	if again.Hash() != s.replica.Hash() || other.Work != is.Work-was.Work ||
		other.Unverified != is.Unverified-was.Unverified {
		t.Errorf("the replicas differ: %+v and then %+v beside %+v", was, is, other)
	}
	if is.UniqueCut == was.UniqueCut {
		t.Error("the work was enough for every document, so the test says nothing")
	}
}
