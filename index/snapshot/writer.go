package snapshot

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/window"
)

// Writer writes the snapshots of one replica, and writes each sealed segment once. Only one goroutine may use it.
type Writer struct {
	Files       Segments // where the replica's segments lie that are not in memory; nil: there are none
	store       Store
	params      index.Params
	fingerprint uint64
	stored      map[uint64]stored // sealed segments of the replica that are in the store, by number
	scrubbed    uint64            // number of the segment that Scrub read last
}

// stored is a sealed segment in the store, as it was at a journal offset.
type stored struct {
	Segment
	at int64
}

// NewWriter builds a writer for a replica of these settings.
func NewWriter(store Store, p index.Params, fingerprint uint64) *Writer {
	return &Writer{store: store, params: p, fingerprint: fingerprint, stored: map[uint64]stored{}}
}

// Written says how much a snapshot wrote.
type Written struct {
	Segments int   // segments that were not stored before
	Bytes    int64 // bytes of these segments
}

// Adopt notes the segments that another snapshot has stored, so that they are not written again. Call it only if this
// writer's replica is known to have passed through the state of that snapshot: then the segments are the replica's,
// too.
func (w *Writer) Adopt(m *Manifest) {
	if !w.ours(m) {
		return
	}
	for _, s := range m.Segments {
		if known, is := w.stored[s.Number]; s.Sealed && (!is || known.at < m.Position.Offset) {
			w.stored[s.Number] = stored{Segment: s, at: m.Position.Offset}
		}
	}
}

// ours says whether a snapshot was made under settings that mean what the writer's do.
func (w *Writer) ours(m *Manifest) bool {
	settings, err := index.CapturedSettings(m.State)
	return err == nil && m.Fingerprint == index.Fingerprint(settings) && w.fingerprint == index.Fingerprint(settings)
}

// Write stores the parts of the capture that are not stored yet, reads them back and decodes them, and then publishes
// the manifest. So every listed snapshot was whole. It sets the fields of m that follow from the capture, and the
// fingerprint of its settings. After an error the next call only has to do the rest.
func (w *Writer) Write(ctx context.Context, c *index.Capture, m Manifest) (Written, error) {
	m.Fingerprint, m.State = c.Fingerprint, c.State()
	done, err := w.publish(ctx, c, &m)
	var missing *MissingSegmentsError
	if errors.As(err, &missing) { // deleted by the collector since an earlier attempt stored them, or incomplete
		w.forget(missing.Names)
		again, err := w.publish(ctx, c, &m)
		return Written{done.Segments + again.Segments, done.Bytes + again.Bytes}, err
	}
	return done, err
}

func (w *Writer) publish(ctx context.Context, c *index.Capture, m *Manifest) (Written, error) {
	done, err := w.put(ctx, c, m)
	if err != nil {
		return done, err
	}
	if err := w.store.Publish(ctx, *m); err != nil {
		return done, fmt.Errorf("publish snapshot: %w", err)
	}
	return done, nil
}

func (w *Writer) forget(names []string) {
	maps.DeleteFunc(w.stored, func(_ uint64, s stored) bool { return slices.Contains(names, s.Name) })
}

func (w *Writer) put(ctx context.Context, c *index.Capture, m *Manifest) (done Written, err error) {
	state, err := w.decoded(c, m.State)
	if err != nil {
		return done, fmt.Errorf("verify snapshot: %w", err)
	}
	kept := map[uint64]stored{}
	m.Segments = nil
	var data []byte
	for i := range c.Segments {
		view := &c.Segments[i]
		s, ok := w.stored[view.Number]
		if !ok || s.at < view.Erased {
			if data, err = Encoded(ctx, w.Files, view, data[:0]); err != nil {
				return done, err
			}
			if s.Segment, err = w.putOne(ctx, state, view, data); err != nil {
				return done, err
			}
			s.at = c.Next
			done.Segments++
			done.Bytes += s.Bytes
		}
		if view.Sealed {
			kept[view.Number], w.stored[view.Number] = s, s
		}
		m.Segments = append(m.Segments, s.Segment)
	}
	w.stored = kept
	return done, nil
}

// Encoded returns the encoding of a segment, which files has if it is not in memory. If that takes memory, it may be dst.
func Encoded(ctx context.Context, files Segments, view *window.View, dst []byte) ([]byte, error) {
	if !view.Away() {
		return view.Append(dst), nil
	}
	return files.Read(ctx, view.File())
}

func (w *Writer) putOne(ctx context.Context, state *index.Restore, view *window.View,
	data []byte,
) (Segment, error) {
	s := NewSegment(data, view.Documents())
	s.Number, s.Sealed = view.Number, view.Sealed
	if err := w.store.PutSegment(ctx, s.Name, data); err != nil {
		return s, fmt.Errorf("put segment: %w", err)
	}
	if err := w.verify(ctx, state, s); err != nil {
		return s, fmt.Errorf("verify snapshot: %w", err)
	}
	return s, nil
}

// decoded decodes the captured state again.
func (w *Writer) decoded(c *index.Capture, captured []byte) (*index.Restore, error) {
	state, err := index.NewRestore(w.params, w.fingerprint, captured)
	if err == nil && (state.Next() != c.Next || state.Hash() != c.Hash) {
		err = fmt.Errorf("it is of offset %d with hash %016x, captured at %d with %016x", state.Next(), state.Hash(), c.Next, c.Hash)
	}
	return state, err
}

// verify reads a segment back and decodes it.
func (w *Writer) verify(ctx context.Context, state *index.Restore, s Segment) error {
	data, err := FetchSegment(ctx, w.store, s)
	if err != nil {
		return err
	}
	d, err := state.Decode(data)
	if err == nil && (d.Number() != s.Number || d.Sealed() != s.Sealed || d.Documents() != s.Documents) {
		err = fmt.Errorf("segment %d of %d documents came back as %d of %d", s.Number, s.Documents, d.Number(), d.Documents())
	}
	return err
}

// Scrub reads one of the stored segments again, the next one at each call. All snapshots share these segments, so
// damage to one damages all of them. A damaged segment is forgotten here, the next Write stores it again from memory,
// and the first result says what was wrong with it.
func (w *Writer) Scrub(ctx context.Context) (damage, err error) {
	s, ok := w.turn()
	if !ok {
		return nil, nil
	}
	_, err = FetchSegment(ctx, w.store, s)
	if !Damaged(err) {
		return nil, err
	}
	delete(w.stored, s.Number)
	return err, nil
}

// turn returns the stored segment after the one that was read last, in a circle.
func (w *Writer) turn() (s Segment, ok bool) {
	numbers := slices.Sorted(maps.Keys(w.stored))
	if len(numbers) == 0 {
		return s, false
	}
	i, _ := slices.BinarySearch(numbers, w.scrubbed+1)
	w.scrubbed = numbers[i%len(numbers)]
	return w.stored[w.scrubbed].Segment, true
}
