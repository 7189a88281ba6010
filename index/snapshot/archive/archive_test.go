package archive

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/snapshot"
)

// shelf is what segments are fetched from.
type shelf struct {
	segments map[string][]byte
}

func (s shelf) Segment(_ context.Context, name string) ([]byte, error) {
	data, ok := s.segments[name]
	if !ok {
		return nil, &snapshot.MissingSegmentsError{Names: []string{name}}
	}
	return data, nil
}

// sample returns a snapshot of three segments, one of them named twice.
func sample() (shelf, snapshot.Manifest) {
	s := shelf{segments: map[string][]byte{}}
	m := snapshot.Manifest{
		Index: "orders", Position: snapshot.Position{Offset: 7}, Taken: 1_700_000_000_123,
		State: []byte("state"),
	}
	for i, content := range []string{"one", "", "three", "one"} {
		segment := snapshot.NewSegment([]byte(content), i)
		segment.Number = uint64(i + 1)
		s.segments[segment.Name] = []byte(content)
		m.Segments = append(m.Segments, segment)
	}
	return s, m
}

func written(t testing.TB) []byte {
	t.Helper()
	s, m := sample()
	var b bytes.Buffer
	if err := Write(t.Context(), &b, s, &m); err != nil {
		t.Fatal(err)
	}
	if n := size(m.Encode(), distinct(&m)); n != b.Len() {
		t.Fatalf("%d bytes are written, and %d expected", b.Len(), n)
	}
	return b.Bytes()
}

// readAll reads a snapshot to its end.
func readAll(data []byte) (m snapshot.Manifest, contents []string, err error) {
	r, err := NewReader(bytes.NewReader(data))
	if err != nil {
		return m, nil, err
	}
	for {
		_, content, err := r.Next()
		if errors.Is(err, io.EOF) {
			return r.Manifest(), contents, nil
		}
		if err != nil {
			return m, nil, err
		}
		contents = append(contents, string(content))
	}
}

func TestRoundTrip(t *testing.T) {
	_, want := sample()
	data := written(t)
	m, contents, err := readAll(data)
	if err != nil || !reflect.DeepEqual(m, want) || !reflect.DeepEqual(contents, []string{"one", "", "three"}) {
		t.Fatalf("the archive reads as %+v with the contents %q, error %v; want %+v with one, an empty one and three, and no error",
			m, contents, err, want)
	}
	if !bytes.Equal(data, written(t)) {
		t.Error("the same snapshot gave other bytes")
	}
}

// TestFetch: segments can be fetched in any order, once each. Where one cannot be read, those behind it cannot either, and the
// error says why.
func TestFetch(t *testing.T) {
	_, m := sample()
	data := written(t)
	names, ctx := m.Segments, t.Context()
	r, err := NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{2, 0, 1} {
		if got, err := r.Segment(ctx, names[i].Name); err != nil || snapshot.SegmentName(got) != names[i].Name {
			t.Errorf("segment %d is %q, error %v", i, got, err)
		}
	}
	if _, err := r.Segment(ctx, names[1].Name); !errors.Is(err, snapshot.ErrMissingSegment) {
		t.Errorf("fetched twice: %v", err)
	}
	if _, _, err := r.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("behind the last one: %v", err)
	}
	if r, err = NewReader(bytes.NewReader(data[:2*len(data)/3])); err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{2, 1, 2} {
		var corrupt *snapshot.CorruptError
		if _, err := r.Segment(ctx, names[i].Name); i == 2 && !errors.As(err, &corrupt) {
			t.Errorf("an archive that is cut short, segment %d: %v", i, err)
		}
	}
}

func TestWriteRefusesDamage(t *testing.T) {
	s, m := sample()
	s.segments[m.Segments[2].Name] = []byte("other")
	var corrupt *snapshot.CorruptError
	if err := Write(t.Context(), io.Discard, s, &m); !errors.As(err, &corrupt) {
		t.Errorf("other content: %v", err)
	}
	delete(s.segments, m.Segments[2].Name)
	if err := Write(t.Context(), io.Discard, s, &m); !errors.Is(err, snapshot.ErrMissingSegment) {
		t.Errorf("no content: %v", err)
	}
	s, m = sample()
	m.Position.Offset = -1
	var b bytes.Buffer
	if err := Write(t.Context(), &b, s, &m); err == nil || b.Len() > 0 {
		t.Errorf("a manifest that is refused when read gives %d bytes, error %v", b.Len(), err)
	}
	full := errors.New("full")
	s, m = sample()
	if err := Write(t.Context(), failing{full}, s, &m); !errors.Is(err, full) {
		t.Errorf("no room: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestDamage cuts the archive at every length and flips every byte: only the whole archive is accepted.
func TestDamage(t *testing.T) {
	data := written(t)
	_, want := sample()
	whole := 0
	for n := range data {
		bad := bytes.Clone(data)
		bad[n] ^= 0x10
		for damage, bad := range map[string][]byte{"cut": data[:n], "flip": bad} {
			m, contents, err := readAll(bad)
			if err == nil {
				whole++
			}
			if err == nil && (!reflect.DeepEqual(m, want) || !reflect.DeepEqual(contents, []string{"one", "", "three"})) {
				t.Fatalf("%s at %d gave another snapshot", damage, n)
			}
			if corrupt := (*snapshot.CorruptError)(nil); err != nil && !errors.As(err, &corrupt) {
				t.Fatalf("%s at %d: an untyped error: %v", damage, n, err)
			}
		}
	}
	if whole > len(data)*3/4 { // tar's padding and its end carry nothing
		t.Errorf("of %d cuts and %d flips %d went unnoticed", len(data), len(data), whole)
	}
}

// pack returns an archive of any files.
func pack(t testing.TB, files ...*tar.Header) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range files {
		head, content := *h, h.Linkname // the field Linkname carries the content, as a regular file does not use it
		if h.Typeflag == 0 {
			head.Linkname, head.Size = "", int64(len(content))
		}
		if err := w.WriteHeader(&head); err != nil {
			t.Fatal(err)
		}
		if h.Typeflag == 0 {
			if _, err := io.WriteString(w, content); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func file(name, content string) *tar.Header { return &tar.Header{Name: name, Linkname: content} }

// TestLies: well-formed archives with wrong content are refused.
func TestLies(t *testing.T) {
	_, m := sample()
	manifest := string(m.Encode())
	sealed := func(s string) string { return string(snapshot.Seal(snapshot.KindSegment, []byte(s))) }
	name := func(i int) string { return segmentsDir + m.Segments[i].Name }
	whole := []*tar.Header{
		file(manifestName, manifest), file(name(0), sealed("one")), file(name(1), sealed("")),
		file(name(2), sealed("three")),
	}
	twin := m // the same checksum, claimed for another name
	twin.Segments = append([]snapshot.Segment{}, m.Segments...)
	twin.Segments[0].Name = snapshot.SegmentName([]byte("forged"))
	for _, test := range []struct {
		name, want string
		files      []*tar.Header
	}{
		{"nothing", "manifest is corrupt: the file ends here", nil},
		{"a segment first", "it is not a snapshot that unecho exported", whole[1:]},
		{"a segment too few", "the file ends here", whole[:3]},
		{"a file too many", "nothing should follow", append(whole[:4:4], file("../../etc/passwd", "x"))},
		{"another order", "in its place stands", []*tar.Header{whole[0], whole[2], whole[1], whole[3]}},
		{"a link", "in its place stands", []*tar.Header{{Name: manifestName, Typeflag: tar.TypeSymlink, Linkname: "/etc/passwd"}}},
		{"other content", "content that the manifest names", []*tar.Header{whole[0], file(name(0), sealed("two"))}},
		{"a name that is not its hash", "content that the manifest names", []*tar.Header{file(manifestName, string(twin.Encode())), file(segmentsDir+twin.Segments[0].Name, sealed("one"))}},
		{"a segment that is too long", "can have 27", []*tar.Header{whole[0], file(name(0), sealed("one longer than it was"))}},
		{"a manifest in a segment's place", "it holds a manifest", []*tar.Header{whole[0], file(name(0), string(snapshot.Seal(snapshot.KindManifest, []byte("one"))))}},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, _, err := readAll(pack(t, test.files...))
			var corrupt *snapshot.CorruptError
			if !errors.As(err, &corrupt) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// TestLengthThatLies: a header that claims far more than follows costs no memory.
func TestLengthThatLies(t *testing.T) {
	var b bytes.Buffer
	if err := tar.NewWriter(&b).WriteHeader(&tar.Header{Name: manifestName, Size: maxManifest}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readAll(b.Bytes()); err == nil || !strings.Contains(err.Error(), "ends here") {
		t.Errorf("got %v", err)
	}
	result := testing.Benchmark(func(b2 *testing.B) {
		for b2.Loop() {
			_, _, _ = readAll(b.Bytes())
		}
	})
	if n := result.AllocedBytesPerOp(); n > 1<<20 {
		t.Errorf("%d bytes for a lie", n)
	}
	b.Reset()
	if err := tar.NewWriter(&b).WriteHeader(&tar.Header{Name: manifestName, Size: math.MaxInt64}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := readAll(b.Bytes()); err == nil ||
		!strings.Contains(err.Error(), fmt.Sprint("can have ", maxManifest)) {
		t.Errorf("got %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(written(f))
	f.Add([]byte{})
	f.Add(pack(f, file(manifestName, "x")))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, contents, err := readAll(data)
		if err != nil {
			return
		}
		for i, s := range distinct(&m) {
			if snapshot.SegmentName([]byte(contents[i])) != s.Name {
				t.Fatal("content under a foreign name")
			}
		}
	})
}
