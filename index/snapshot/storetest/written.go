package storetest

import (
	"bytes"
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
)

// held is the documents that a window holds; it makes segments of 256 documents.
const held = 3000

// increments: segments that were sealed and stored are not written again, neither by this writer nor by one that
// adopts.
func increments(t *testing.T, b Backing) {
	s, f := open(t, b), NewStream(t, held, 5)
	w := f.Writer(s)
	f.Judge(2000) // 1,600 of them enter
	if _, done := f.Write(t, w); done.Segments != 7 {
		t.Fatalf("the first snapshot wrote %d segments", done.Segments)
	}
	f.Judge(100)
	position, done := f.Write(t, w)
	if done.Segments != 1 {
		t.Fatalf("the second snapshot wrote %d segments", done.Segments)
	}
	m, err := s.Manifest(t.Context(), position)
	must(t, err)
	f.Judge(100)
	other := f.Writer(s)
	other.Adopt(&m)
	position, done = f.Write(t, other)
	if done.Segments != 1 {
		t.Fatalf("one that adopted wrote %d segments", done.Segments)
	}
	stranger := snapshot.NewWriter(s, f.Params, f.Fingerprint)
	foreign := m
	foreign.Fingerprint++
	stranger.Adopt(&foreign)
	if _, done = f.Write(t, stranger); done.Segments != 7 {
		t.Fatalf("one that saw only other settings wrote %d segments", done.Segments)
	}
	r, err := f.Restore(t, s, position)
	must(t, err)
	f.Same(t, r)
	f.Judge(10_000) // all documents of the window are replaced
	position, _ = f.Write(t, w)
	r, err = f.Restore(t, s, position)
	must(t, err)
	f.Same(t, r)
}

// erased: a sealed segment of which a document was erased is written again, once by each writer that has stored it
// before, and adopting a snapshot of before the erasure changes nothing.
func erased(t *testing.T, b Backing) {
	s, f := open(t, b), NewStream(t, held, 5)
	w, other := f.Writer(s), f.Writer(s)
	f.Judge(2000)
	position, _ := f.Write(t, w)
	before, err := s.Manifest(t.Context(), position)
	must(t, err)
	other.Adopt(&before)
	id := f.Erase(300) // in the second segment
	stored := f.Stored(t, s, &before)
	if !bytes.Contains(stored, id) {
		t.Fatal("the document was not stored before")
	}
	other.Adopt(&before)
	position, done := f.Write(t, w)
	if done.Segments != 2 {
		t.Fatalf("the snapshot after wrote %d segments, where one was erased from and one is open", done.Segments)
	}
	after, err := s.Manifest(t.Context(), position)
	must(t, err)
	if bytes.Contains(f.Stored(t, s, &after), id) {
		t.Error("the snapshot after has the document")
	}
	f.Judge(100)
	if _, done = f.Write(t, w); done.Segments != 1 {
		t.Errorf("the next snapshot wrote %d segments", done.Segments)
	}
	f.Judge(100)
	if _, done = f.Write(t, other); done.Segments != 2 {
		t.Errorf("a writer that knew only the snapshot before wrote %d segments", done.Segments)
	}
	r, err := f.Restore(t, s, position)
	must(t, err)
	f.Same(t, r)
}

// erasedAndCollected: when as many snapshots as are kept were taken after an erasure, and the grace is over, nothing of
// what was erased is stored any more, in whatever snapshot it was.
func erasedAndCollected(t *testing.T, b Backing) {
	const keep = 2
	s, f := open(t, b), NewStream(t, held, 5)
	w := f.Writer(s)
	for range keep {
		f.Judge(1000)
		f.Write(t, w)
	}
	id, evidence := f.Evidence(1300)
	for name, secret := range map[string][]byte{"id": id, "evidence": evidence} {
		if !bytes.Contains(b.Bytes(t), secret) {
			t.Fatalf("the %s was not stored before", name)
		}
	}
	f.Erase(1300)
	for range keep {
		f.Judge(100)
		f.Write(t, w)
		_, err := s.Collect(t.Context(), keep)
		must(t, err)
	}
	if !bytes.Contains(b.Bytes(t), id) {
		t.Error("a segment went before its grace was over")
	}
	b.Age(t, snapshot.Grace+1)
	_, err := s.Collect(t.Context(), keep)
	must(t, err)
	for name, secret := range map[string][]byte{"id": id, "evidence": evidence} {
		if bytes.Contains(b.Bytes(t), secret) {
			t.Errorf("the %s is still stored", name)
		}
	}
}

// fallBack damages the newest snapshot in each way and place. It is refused, and the snapshot before it, with more of
// the journal after it, leads to the same replica.
func fallBack(t *testing.T, b Backing) {
	s, f := open(t, b), NewStream(t, held, 5)
	w := f.Writer(s)
	f.Judge(1000)
	f.Write(t, w)
	f.Judge(500)
	older, _ := f.Write(t, w)
	f.Judge(200)
	newest, _ := f.Write(t, w)
	f.Judge(100)
	m, err := s.Manifest(t.Context(), newest)
	must(t, err)
	tail := m.Segments[len(m.Segments)-1]
	if tail.Sealed {
		t.Fatal("the last segment is not the open one")
	}
	for _, d := range damages() {
		t.Run(d.name, func(t *testing.T) {
			for place, damage := range map[string]func(change func([]byte) []byte){
				"segment":  func(change func([]byte) []byte) { b.CorruptSegment(t, tail.Name, change) },
				"manifest": func(change func([]byte) []byte) { b.CorruptManifest(t, newest, change) },
			} {
				var before []byte
				damage(func(data []byte) []byte {
					before = append([]byte{}, data...)
					return d.change(data)
				})
				infos, err := s.Manifests(t.Context())
				must(t, err)
				if infos[0].Position != newest || infos[1].Position != older {
					t.Fatalf("listed %v", infos)
				}
				if _, err := f.Restore(t, s, newest); !snapshot.Damaged(err) {
					t.Errorf("%s: restoring the newest: %v", place, err)
				}
				r, err := f.Restore(t, s, older)
				must(t, err)
				f.Same(t, r)
				damage(func([]byte) []byte { return before })
			}
			r, err := f.Restore(t, s, newest)
			must(t, err)
			f.Same(t, r)
		})
	}
}

// scrubbed: a segment that all snapshots share is damaged, and written again from memory before anyone needs it.
func scrubbed(t *testing.T, b Backing) {
	s, f := open(t, b), NewStream(t, held, 5)
	w := f.Writer(s)
	f.Judge(2000)
	f.Write(t, w)
	f.Judge(100)
	position, _ := f.Write(t, w)
	m, err := s.Manifest(t.Context(), position)
	must(t, err)
	b.CorruptSegment(t, m.Segments[2].Name, func(data []byte) []byte { data[100] ^= 1; return data })
	if _, err := f.Restore(t, s, position); !snapshot.Damaged(err) {
		t.Fatalf("restored, or %v", err)
	}
	found := 0
	for range len(m.Segments) - 1 { // all that are sealed, once
		damage, err := w.Scrub(t.Context())
		must(t, err)
		if damage != nil {
			found++
		}
	}
	if found != 1 {
		t.Fatalf("found %d damaged segments", found)
	}
	f.Judge(100)
	newest, done := f.Write(t, w)
	if done.Segments != 2 {
		t.Errorf("wrote %d segments, want the damaged one and the open one", done.Segments)
	}
	for _, p := range []snapshot.Position{position, newest} {
		r, err := f.Restore(t, s, p)
		must(t, err)
		f.Same(t, r)
	}
}

// liar is a store that fails or lies from the nth segment on.
type liar struct {
	snapshot.Store
	puts  atomic.Int64
	after int64
	put   func(ctx context.Context, name string, data []byte) error
}

func (l *liar) PutSegment(ctx context.Context, name string, data []byte) error {
	if l.puts.Add(1) > l.after {
		return l.put(ctx, name, data)
	}
	return l.Store.PutSegment(ctx, name, data)
}

// interrupted returns a stream whose first snapshot has failed behind four segments, and what writes the next one.
func interrupted(t *testing.T, s snapshot.Store) (f *Stream, l *liar, w *snapshot.Writer) {
	gone := errors.New("gone")
	f = NewStream(t, held, 5)
	l = &liar{Store: s, after: 4, put: func(context.Context, string, []byte) error { return gone }}
	w = f.Writer(l)
	f.Judge(2000)
	capture := f.Replica.Capture()
	_, err := w.Write(t.Context(), &capture, f.Manifest())
	want(t, err, gone)
	return f, l, w
}

// halfWay: a snapshot that fails half-way is not listed, and the next attempt has only the rest to do.
func halfWay(t *testing.T, b Backing) {
	s := open(t, b)
	f, l, w := interrupted(t, s)
	wantListed(t, s)
	l.after = 100
	if _, done := f.Write(t, w); done.Segments != 3 {
		t.Errorf("the second attempt wrote %d segments", done.Segments)
	}
	r, err := f.Restore(t, s, f.Manifest().Position)
	must(t, err)
	f.Same(t, r)
}

// collectedBetween: segments that a failed snapshot had stored are deleted by a collector before the next one names
// them.
func collectedBetween(t *testing.T, b Backing) {
	s := open(t, b)
	f, l, w := interrupted(t, s)
	b.Age(t, snapshot.Grace+1)
	done, err := s.Collect(t.Context(), 1)
	must(t, err)
	if done.Segments != 4 {
		t.Fatalf("collected %+v", done)
	}
	l.after = 100
	position, _ := f.Write(t, w)
	r, err := f.Restore(t, s, position)
	must(t, err)
	f.Same(t, r)
}

// readBack: a store that reports success but keeps something else, or nothing, is found out before the snapshot is
// listed.
func readBack(t *testing.T, b Backing) {
	for name, lie := range map[string]func(s snapshot.Store) func(ctx context.Context, name string, data []byte) error{
		"nothing": func(snapshot.Store) func(context.Context, string, []byte) error {
			return func(context.Context, string, []byte) error { return nil }
		},
		"half": func(s snapshot.Store) func(context.Context, string, []byte) error {
			return func(ctx context.Context, name string, data []byte) error {
				return s.PutSegment(ctx, name, data[:len(data)/2])
			}
		},
		"something else": func(s snapshot.Store) func(context.Context, string, []byte) error {
			return func(ctx context.Context, name string, data []byte) error {
				other := append([]byte{}, data...)
				other[len(other)/2] ^= 1
				return s.PutSegment(ctx, name, other)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, f := open(t, b), NewStream(t, held, 5)
			f.Judge(1000)
			l := &liar{Store: s, after: 2, put: lie(s)}
			w := f.Writer(l)
			capture := f.Replica.Capture()
			if _, err := w.Write(t.Context(), &capture, f.Manifest()); !snapshot.Damaged(err) {
				t.Fatalf("got %v", err)
			}
			wantListed(t, s)
		})
	}
}

// otherVersions: a snapshot of another format is refused with an error that says what to do. It is not reported as
// damaged, and no older snapshot is used instead.
func otherVersions(t *testing.T, b Backing) {
	s, f := open(t, b), NewStream(t, held, 5)
	f.Judge(500)
	position, _ := f.Write(t, f.Writer(s))
	b.CorruptManifest(t, position, func(data []byte) []byte {
		m, err := snapshot.DecodeManifest(data)
		must(t, err)
		m.State = append([]byte{}, m.State...)
		m.State[0] = 99
		return m.Encode()
	})
	_, err := f.Restore(t, s, position)
	want(t, err, index.ErrVersion)
	if snapshot.Damaged(err) {
		t.Errorf("%v counts as damage", err)
	}
	b.CorruptManifest(t, position, func(data []byte) []byte { return reseal(data, 6, data[6]+1) })
	_, err = f.Restore(t, s, position)
	want(t, err, snapshot.ErrNewerFormat)
}
