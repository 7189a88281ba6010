package filter_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/cespare/xxhash/v2"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/filter"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/archive"
)

// filled is a filter that has judged articles, and its snapshot.
func filled(t testing.TB, p filter.Params, documents []filter.Document) (*filter.Filter, []byte) {
	t.Helper()
	f, err := filter.New(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range documents {
		if _, err := f.Judge(d); err != nil {
			t.Fatal(err)
		}
	}
	data, err := f.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	return f, data
}

// TestSnapshotIsTheState: a second snapshot of the same state has the same bytes, and so has one of the filter that was
// opened, also of one that has judged nothing.
func TestSnapshotIsTheState(t *testing.T) {
	p := filter.DefaultParams()
	for _, n := range []int{0, 1, 300} {
		f, data := filled(t, p, series(generated(t, n)))
		if rounded := 8 << 10; cap(data) > len(data)+rounded {
			t.Errorf("%d documents: a snapshot of %d bytes takes %d", n, len(data), cap(data))
		}
		for range 2 {
			again, err := f.Snapshot()
			if err != nil || !bytes.Equal(again, data) {
				t.Errorf("%d documents: the next snapshot has other bytes, error %v", n, err)
			}
			if f, err = filter.Open(p, data); err != nil {
				t.Fatalf("%d documents: %v", n, err)
			}
		}
	}
}

// TestOpenRefusesDamage cuts and flips a snapshot: it is refused, or the filter is the one that it was of. Padding of the
// archive carries nothing.
func TestOpenRefusesDamage(t *testing.T) {
	p := filter.DefaultParams()
	_, data := filled(t, p, series(generated(t, 20)))
	refused, step := 0, max(1, len(data)/600)
	for at := 0; at < len(data); at += step {
		bad := bytes.Clone(data)
		bad[at] ^= 0x10
		for how, bad := range map[string][]byte{"cut": data[:at], "flipped": bad} {
			f, err := filter.Open(p, bad)
			if err != nil {
				refused++
				if !errors.Is(err, filter.ErrSnapshot) {
					t.Errorf("%s at %d: the error is %v, want ErrSnapshot", how, at, err)
				}
				continue
			}
			if again, err := f.Snapshot(); err != nil || !bytes.Equal(again, data) {
				t.Errorf("%s at %d: another state is opened, error %v", how, at, err)
			}
		}
	}
	if refused < 600 {
		t.Errorf("of 1,200 harms %d were refused, want most", refused)
	}
	for _, bad := range [][]byte{nil, []byte("{}"), bytes.Repeat(data[:512], 4)} {
		if _, err := filter.Open(p, bad); !errors.Is(err, filter.ErrSnapshot) || !strings.Contains(err.Error(), "or begin with New") {
			t.Errorf("%d bytes that are no snapshot give %v, want ErrSnapshot and what to do", len(bad), err)
		}
	}
}

// TestOpenRefusesOthers: what a service or dedup saved is no snapshot of a filter, and belongs to its own journal.
func TestOpenRefusesOthers(t *testing.T) {
	_, data := filled(t, filter.DefaultParams(), nil)
	in, err := archive.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*snapshot.Manifest){
		"of a service":      func(m *snapshot.Manifest) { m.Index = "news-filter" },
		"of its own name":   func(m *snapshot.Manifest) { m.Position.JournalTopic[0]++ },
		"of another offset": func(m *snapshot.Manifest) { m.Position.Offset++ },
		"of no state":       func(m *snapshot.Manifest) { m.State = nil },
	} {
		m := in.Manifest()
		change(&m)
		var b bytes.Buffer
		if err := archive.WriteCaptured(t.Context(), &b, m, nil, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := filter.Open(filter.DefaultParams(), b.Bytes()); !errors.Is(err, filter.ErrSnapshot) {
			t.Errorf("one %s gives %v, want ErrSnapshot", name, err)
		}
	}
}

// TestOpenRefusesOtherVersions: a sound snapshot that another version wrote gives ErrVersion, and neither of the others.
func TestOpenRefusesOtherVersions(t *testing.T) {
	_, data := filled(t, filter.DefaultParams(), series(generated(t, 10)))
	in, err := archive.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	snapshots := map[string][]byte{}
	for name, change := range map[string]func(*snapshot.Manifest){
		"a later state":    func(m *snapshot.Manifest) { m.State[0]++ },
		"an earlier state": func(m *snapshot.Manifest) { m.State[0]-- },
		"other settings": func(m *snapshot.Manifest) {
			m.State = bytes.Replace(m.State, []byte(`"version":"2`), []byte(`"version":"9`), 1)
		},
	} {
		m := in.Manifest()
		m.State = bytes.Clone(m.State)
		change(&m)
		var b bytes.Buffer
		if err := archive.WriteCaptured(t.Context(), &b, m, nil, nil); err != nil {
			t.Fatal(err)
		}
		snapshots[name] = b.Bytes()
	}
	later := bytes.Clone(data)
	sealed := later[512:] // behind the head of tar
	sealed[6]++
	end := snapshot.Overhead - 8 + binary.LittleEndian.Uint64(sealed[8:])
	binary.LittleEndian.PutUint64(sealed[end:], xxhash.Sum64(sealed[:end]))
	snapshots["a later envelope"] = later
	for name, data := range snapshots {
		_, err := filter.Open(filter.DefaultParams(), data)
		if !errors.Is(err, filter.ErrVersion) || errors.Is(err, filter.ErrSettings) || errors.Is(err, filter.ErrSnapshot) ||
			!strings.Contains(err.Error(), "begin with New, or use the version that wrote it") {
			t.Errorf("%s gives %v, want ErrVersion alone, and what to do", name, err)
		}
	}
}

// TestOpenRefusesOtherSettings: settings that sign otherwise are refused, with a line for each.
func TestOpenRefusesOtherSettings(t *testing.T) {
	p := filter.DefaultParams()
	_, data := filled(t, p, series(generated(t, 10)))
	p.Duplicates.Shingle, p.Normalize.Digits = "word:2", "mask"
	_, err := filter.Open(p, data)
	if !errors.Is(err, filter.ErrSettings) {
		t.Fatalf("the error is %v, want ErrSettings", err)
	}
	for _, want := range []string{
		"duplicates.shingle: word:2 here, auto:3 in the snapshot", "normalize.digits: mask here, keep in the snapshot", "open it with the settings that it has, or begin with New",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error lacks %q:\n%v", want, err)
		}
	}
	p = filter.DefaultParams()
	p.Duplicates.Recall = 2
	if _, err := filter.Open(p, data); !errors.Is(err, filter.ErrSettings) || !strings.Contains(err.Error(), "duplicates.recall: 2: is not") {
		t.Errorf("wrong settings give %v, want ErrSettings and the mistake", err)
	}
}

// TestOpenChangesBounds: bounds may be others than those of the snapshot, and are in force for what comes then, as a service
// has them by settings apply.
func TestOpenChangesBounds(t *testing.T) {
	documents := series(generated(t, 200))
	for name, c := range map[string]struct {
		change func(*index.DuplicatesParams)
		holds  func(s index.Stats, p index.Params) bool
	}{
		"more memory":      {func(p *index.DuplicatesParams) { p.Remember.Memory *= 4 }, func(s index.Stats, _ index.Params) bool { return s.Documents > 50 }},
		"fewer documents":  {func(p *index.DuplicatesParams) { p.Remember.Documents = 10 }, func(s index.Stats, _ index.Params) bool { return s.Documents == 10 }},
		"less age":         {func(p *index.DuplicatesParams) { p.Remember.Age = 10 * time.Minute }, func(s index.Stats, _ index.Params) bool { return s.Documents <= 10 }},
		"higher threshold": {func(p *index.DuplicatesParams) { p.Threshold = 0.95 }, func(_ index.Stats, p index.Params) bool { return p.Duplicates.Threshold == 0.95 }},
	} {
		p := filter.DefaultParams()
		_, data := filled(t, p, documents[:100])
		c.change(&p.Duplicates)
		f, err := filter.Open(p, data)
		if err != nil {
			t.Errorf("%s: the snapshot is not opened: %v", name, err)
			continue
		}
		twin := newTwin(t, filter.DefaultParams())
		for _, d := range documents[:100] {
			twin.judge(d)
		}
		twin.at.Offset++
		twin.twin.Apply(twin.at, &index.SettingsChange{Header: twin.run.Header, Bounds: index.Bounds{Number: 1, Text: index.BoundsOf(p.Settings())}})
		for i, d := range documents[100:] {
			if i == 50 { // what is in force is part of a snapshot
				f = reopened(t, p, f)
			}
			v, err := f.Judge(d)
			if err != nil {
				t.Fatal(err)
			}
			if want := twin.judge(d); line(v) != want {
				t.Fatalf("%s: document %d is %s; the twin says %s", name, 100+i, line(v), want)
			}
		}
		if s := f.Stats(); !c.holds(s, twin.twin.Params()) {
			t.Errorf("%s is not in force: %d documents are remembered", name, s.Documents)
		}
	}
	p := filter.DefaultParams()
	_, data := filled(t, p, documents[:10])
	p.Duplicates.Threshold = 0.4
	_, err := filter.Open(p, data)
	if !errors.Is(err, filter.ErrSettings) || !strings.Contains(err.Error(), "duplicates.threshold: 0.4: is less than the bands in force can find") ||
		!strings.Contains(err.Error(), "or more, or begin with New") {
		t.Errorf("a threshold that the bands do not find gives %v, want ErrSettings and the least one", err)
	}
}

func FuzzOpen(f *testing.F) {
	p := filter.DefaultParams()
	_, data := filled(f, p, series(generated(f, 5)))
	f.Add(data)
	f.Fuzz(func(_ *testing.T, data []byte) {
		of, err := filter.Open(p, data)
		if err != nil {
			return
		}
		_, _ = of.Judge(filter.Document{Text: []byte("a text of some words to judge")})
	})
}
