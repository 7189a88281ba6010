package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/unecho/unecho/index/snapshot"
)

const (
	manifestName = "manifest"
	segmentsDir  = "segments/"
	mode         = 0o600
)

// Write writes the snapshot of this manifest to w, with its segments fetched from store. Each is checked against the
// manifest before it is written, and nothing is written that NewReader refuses. The same snapshot gives the same bytes. If w
// is a *bytes.Buffer, it grows once.
func Write(ctx context.Context, w io.Writer, store snapshot.Fetcher, m *snapshot.Manifest) error {
	if err := m.Check(m.Index); err != nil {
		return fmt.Errorf("write snapshot: %w", err)
	}
	manifest, segments := m.Encode(), distinct(m)
	if b, is := w.(*bytes.Buffer); is {
		b.Grow(size(manifest, segments))
	}
	out := tar.NewWriter(w)
	if err := add(out, manifestName, m.Taken, manifest); err != nil {
		return fmt.Errorf("write snapshot: %w", err)
	}
	err := snapshot.FetchSegments(ctx, store, segments, 2, func(i int, data []byte) error {
		sealed := snapshot.Seal(snapshot.KindSegment, data)
		return add(out, segmentsDir+segments[i].Name, m.Taken, sealed)
	})
	if err == nil {
		err = out.Close()
	}
	if err != nil {
		return fmt.Errorf("write snapshot: %w", err)
	}
	return nil
}

// size returns the bytes of the archive: each file has a head, and is padded to whole blocks, of which two end the archive.
func size(manifest []byte, segments []snapshot.Segment) int {
	const block = 512
	padded := func(n int) int { return block + (n+block-1)/block*block }
	total := padded(len(manifest)) + 2*block
	for _, s := range segments {
		total += padded(int(s.Bytes) + snapshot.Overhead)
	}
	return total
}

func add(out *tar.Writer, name string, taken int64, data []byte) error {
	head := &tar.Header{Name: name, Mode: mode, Size: int64(len(data)), ModTime: time.UnixMilli(taken).
		Truncate(time.Second)}
	if err := out.WriteHeader(head); err != nil {
		return err
	}
	_, err := out.Write(data)
	return err
}

// distinct returns the manifest's segments, each content once.
func distinct(m *snapshot.Manifest) []snapshot.Segment {
	seen := make(map[string]bool, len(m.Segments))
	var segments []snapshot.Segment
	for _, s := range m.Segments {
		if !seen[s.Name] {
			seen[s.Name] = true
			segments = append(segments, s)
		}
	}
	return segments
}

var errNotOurs = errors.New("it is not a snapshot that unecho exported")
