package filter

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/archive"
)

// snapshotName names what is written, and journal stands in for a journal, as there is none. With these nothing else
// takes the bytes for a snapshot of its own.
const snapshotName = "filter"

func journal() [16]byte { return [16]byte([]byte("unecho/a-filter/")) }

// Snapshot returns the state, in the format of unecho snapshot export. A second one has the same bytes if nothing was
// judged between. It is about as large as the window, and judging waits for it: for seconds at a full default window.
func (f *Filter) Snapshot() ([]byte, error) {
	if err := f.series.Skip(f.next); err != nil {
		return nil, fmt.Errorf("snapshot of a filter: %w", err)
	}
	c := f.series.Replica().Capture()
	m := snapshot.Manifest{
		Index: snapshotName, Position: snapshot.Position{JournalTopic: journal(), LeaderEpoch: -1, Offset: c.Next},
		Fingerprint: c.Fingerprint, State: c.State(),
	}
	var b bytes.Buffer
	if err := archive.WriteCaptured(context.Background(), &b, m, c.Segments, nil); err != nil {
		return nil, fmt.Errorf("snapshot of a filter: %w", err)
	}
	return b.Bytes(), nil
}

// Open makes the filter of a snapshot, which is not kept. Settings must be those of the snapshot, except that bounds may
// change, as unecho settings apply changes them: how long and how many documents are remembered, and a threshold that
// the bands still find. Documents beyond narrower bounds leave as others come.
//
// The error wraps ErrSettings, with a line for each setting that differs, ErrSnapshot or ErrVersion.
func Open(p Params, data []byte) (*Filter, error) {
	p, err := checked(p)
	var f *Filter
	if err == nil {
		f, err = open(p, data)
	}
	switch {
	case errors.Is(err, index.ErrVersion), errors.Is(err, snapshot.ErrNewerFormat):
		err = fmt.Errorf("%w: %w", ErrVersion, err)
	case snapshot.Damaged(err), errors.Is(err, index.ErrCorrupt):
		err = fmt.Errorf("%w: %w", ErrSnapshot, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open filter: %w", err)
	}
	return f, nil
}

func open(p Params, data []byte) (*Filter, error) {
	in, err := archive.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	m := in.Manifest()
	if m.Index != snapshotName || m.Position.JournalTopic != journal() {
		return nil, fmt.Errorf("%w: it is of %.100q", ErrSnapshot, m.Index)
	}
	settings := p.Settings()
	begun, err := index.CapturedSettings(m.State)
	if err != nil {
		return nil, err
	}
	lines := index.Diff(settings, begun)
	for i, line := range lines {
		if strings.HasPrefix(line, "version: ") {
			return nil, fmt.Errorf("%w: its settings mean something else here", ErrVersion)
		}
		lines[i] = strings.Replace(line, "in the journal", "in the snapshot", 1)
	}
	if err := unusable(lines); err != nil {
		return nil, fmt.Errorf("%w\n    open it with the settings that it has, or begin with New", err)
	}
	if p, err = p.AsBegun(begun); err != nil {
		return nil, err
	}
	state, err := index.NewRestore(p, index.Fingerprint(begun), m.State)
	if err != nil {
		return nil, err
	}
	replica, err := in.Restore(context.Background(), nil, &m, state, nil)
	if err != nil {
		return nil, err
	}
	series := index.ResumeSeries(replica)
	known, ok := replica.Partition(series.Source())
	if !ok {
		return nil, fmt.Errorf("%w: it knows of no documents", index.ErrCorrupt)
	}
	if err := change(series, p, begun, settings); err != nil {
		return nil, err
	}
	return newFilter(series, known.Base)
}

// change puts the bounds of settings in force, if those of the snapshot differ.
func change(series *index.Series, p Params, begun, settings []byte) error {
	if len(index.BoundsDiff(settings, series.Replica().Bounds())) == 0 {
		return nil
	}
	bounds := index.BoundsOf(settings)
	wrong, err := p.CheckBounds(begun, bounds)
	for i := range wrong { // what follows is of services
		wrong[i].Remedy, _, _ = strings.Cut(wrong[i].Remedy, "; ")
		wrong[i].Remedy += ", or begin with New"
	}
	if err = errors.Join(err, refuse(wrong)); err != nil {
		return err
	}
	return series.Change(bounds)
}
