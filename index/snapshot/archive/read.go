package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/index/snapshot"
)

// maxManifest bounds a sealed manifest: its state is bounded by snapshot.MaxBytes, and so is the list of its segments,
// here.
const maxManifest = 2 * snapshot.MaxBytes

// Reader reads a snapshot from a stream.
type Reader struct {
	in       *tar.Reader
	manifest snapshot.Manifest
	segments []snapshot.Segment
	next     int

	mu     sync.Mutex        // of Segment
	ahead  map[string][]byte // what Segment has read and was not asked for
	failed error             // of the first Segment that failed
}

// NewReader reads the manifest. For damage it returns a *snapshot.CorruptError; ErrNewerFormat is possible too.
func NewReader(r io.Reader) (*Reader, error) {
	in := tar.NewReader(r)
	sealed, err := entry(in, manifestName, maxManifest)
	if err != nil {
		return nil, err
	}
	m, err := snapshot.DecodeManifest(sealed)
	if err != nil {
		return nil, snapshot.Locate(err, manifestName)
	}
	if err := m.Check(m.Index); err != nil {
		return nil, &snapshot.CorruptError{Name: manifestName, Offset: -1, Err: err}
	}
	return &Reader{in: in, manifest: m, segments: distinct(&m), ahead: map[string][]byte{}}, nil
}

// Manifest returns the manifest of the snapshot.
func (r *Reader) Manifest() snapshot.Manifest { return r.manifest }

// Next reads the next segment. It returns io.EOF when the snapshot was read completely. The caller owns the memory.
func (r *Reader) Next() (snapshot.Segment, []byte, error) {
	if r.next == len(r.segments) {
		return snapshot.Segment{}, nil, r.end()
	}
	s := r.segments[r.next]
	r.next++
	name := segmentsDir + s.Name
	sealed, err := entry(r.in, name, s.Bytes+snapshot.Overhead)
	if err != nil {
		return s, nil, err
	}
	data, err := snapshot.Open(snapshot.KindSegment, sealed)
	if err != nil {
		return s, nil, snapshot.Locate(err, name)
	}
	if int64(len(data)) != s.Bytes || xxhash.Sum64(data) != s.Checksum || snapshot.SegmentName(data) != s.Name {
		return s, nil, corrupt(name, errOtherContent)
	}
	return s, data, nil
}

// Segment implements snapshot.Fetcher. Each segment may be fetched once. Those before it in the snapshot stay in memory until
// they are fetched. Do not call Next meanwhile.
func (r *Reader) Segment(_ context.Context, name string) ([]byte, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		if data, is := r.ahead[name]; is {
			delete(r.ahead, name)
			return data, nil
		}
		if r.failed != nil {
			return nil, r.failed
		}
		if !slices.ContainsFunc(r.segments[r.next:], func(s snapshot.Segment) bool { return s.Name == name }) {
			return nil, &snapshot.MissingSegmentsError{Names: []string{name}}
		}
		s, data, err := r.Next()
		if r.failed = err; err == nil {
			r.ahead[s.Name] = data
		}
	}
}

// end checks that nothing follows.
func (r *Reader) end() error {
	head, err := r.in.Next()
	switch {
	case errors.Is(err, io.EOF):
		return io.EOF
	case err != nil:
		return unreadable("the end", err)
	}
	return corrupt(fmt.Sprintf("%.100q", head.Name), errTooMuch)
}

// entry reads the next file of the archive, which must have this name and at most this many bytes. Memory grows with
// what is read, not with what a header claims.
func entry(in *tar.Reader, name string, most int64) ([]byte, error) {
	head, err := in.Next()
	if err != nil {
		return nil, unreadable(name, err)
	}
	if head.Name != name || head.Typeflag != tar.TypeReg {
		return nil, corrupt(name, fmt.Errorf("%w: in its place stands %.100q", errNotOurs, head.Name))
	}
	if head.Size > most {
		return nil, corrupt(name, fmt.Errorf("it claims %d bytes, and can have %d", head.Size, most))
	}
	var b bytes.Buffer
	if _, err := io.Copy(&b, io.LimitReader(in, most)); err != nil {
		return nil, unreadable(name, err)
	}
	return b.Bytes(), nil
}

// unreadable distinguishes a cut or invalid archive from a stream that fails.
func unreadable(name string, err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return corrupt(name, errCut)
	case errors.Is(err, tar.ErrHeader), errors.Is(err, tar.ErrFieldTooLong):
		return corrupt(name, fmt.Errorf("%w: %w", errNotOurs, err))
	}
	return fmt.Errorf("read %s: %w", name, err)
}

func corrupt(name string, err error) error {
	return &snapshot.CorruptError{Name: name, Offset: -1, Err: err}
}

var (
	errCut          = errors.New("the file ends here")
	errTooMuch      = errors.New("nothing should follow the last segment")
	errOtherContent = errors.New("it is not the content that the manifest names")
)
