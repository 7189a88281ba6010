package mend

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"
)

func write(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

func FuzzDecoders(f *testing.F) {
	f.Add(marker(batch{pid: 7, epoch: 3}, 12, 1, 1000))
	f.Add(note{producer: 7, epoch: 3, pids: 1, groups: 2, time: 3}.append(nil))
	entry, err := appendPID(nil, pidEntry{Type: "init", PID: 7, Epoch: 3, TxID: "x"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(entry)
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, size, ok := parseBatch(b); ok && size > len(b) {
			t.Errorf("a batch of %d bytes in %d", size, len(b))
		}
		if n, ok := parseNote(b); ok && string(n.append(nil)) != string(b) {
			t.Errorf("%+v does not read back", n)
		}
		if _, _, whole := readPIDs(b); whole > len(b) {
			t.Errorf("%d whole bytes of %d", whole, len(b))
		}
	})
}

func TestNothingIsDoneToABrokerThatWasClosed(t *testing.T) {
	dir := t.TempDir()
	l, err := Open(dir, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Note(7, 3, 1000); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, sessionName), []byte("{}"))
	if s, err := Mend(dir, 2000); err != nil || s != (Stats{}) {
		t.Errorf("got %+v, %v", s, err)
	}
	if _, err := os.Stat(filepath.Join(dir, sessionName)); err != nil {
		t.Errorf("the clients' sessions are gone: %v", err)
	}
}

// data is a batch of a transaction with n records that nobody reads.
func data(pid int64, epoch int16, offset int64, n int32) []byte {
	raw := marker(batch{pid: pid, epoch: epoch}, offset, 5, 500)
	binary.BigEndian.PutUint16(raw[21:], transactional)
	binary.BigEndian.PutUint32(raw[23:], uint32(n-1)) //nolint:gosec // small
	return seal(raw)
}

func committed(pid int64, epoch int16, offset, now int64) []byte {
	raw := marker(batch{pid: pid, epoch: epoch}, offset, 5, now)
	raw[len(raw)-9] = 1 // the key's type; then come the value's length, its 6 bytes and the number of headers
	return seal(raw)
}

func seal(raw []byte) []byte {
	binary.BigEndian.PutUint32(raw[17:], crc32.Checksum(raw[21:], castagnoli()))
	return raw
}

// state is what stands in a data directory, told in a few words.
func state(t *testing.T, dir string) string {
	t.Helper()
	p, indexed, err := loadPartition(dir)
	if err != nil {
		t.Fatal(err)
	}
	if indexed > 0 {
		t.Errorf("%d index entries were missing", indexed)
	}
	out := ""
	for _, b := range p.batches {
		switch {
		case b.commit:
			out += "C"
		case b.marker:
			out += "A"
		case b.txn:
			out += "d"
		}
	}
	return out
}

// story is a way in which the process can die. Batches: d is data of a transaction, C its commit, A its abort.
type story struct {
	name   string
	note   []byte
	groups string
	a, b   [][]byte
	cut    int // bytes that the last write to b lacks
	unidx  int // index entries that b lacks
	want   Stats
	wantA  string
	wantB  string
	left   string // of groups
}

const (
	pid    = 7
	epoch  = 3
	before = 1000 // when the commit was noted
	now    = 2000
)

func pidsLog(t *testing.T) []byte {
	t.Helper()
	b, err := appendPID(nil, pidEntry{Type: "init", PID: pid, Epoch: epoch, TxID: "x"})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func noted(pids, groups int64) []byte {
	return note{producer: pid, epoch: epoch, pids: pids, groups: groups, time: before}.append(nil)
}

// stories are of a pids.log of so many bytes.
func stories(size int64) []story {
	return append(openStories(), commitStories(size)...)
}

func commitStories(size int64) []story {
	return []story{
		{
			name: "before the first marker", note: noted(size, 3), groups: "old",
			a: [][]byte{data(pid, epoch, 0, 2)}, b: [][]byte{data(pid, epoch, 0, 2)},
			want: Stats{Killed: true, Aborted: 2, Fenced: 1}, wantA: "dA", wantB: "dA", left: "old",
		},
		{
			name: "between two markers", note: noted(size, 3), groups: "old",
			a: [][]byte{data(pid, epoch, 0, 2), committed(pid, epoch, 2, before)}, b: [][]byte{data(pid, epoch, 0, 2)},
			want: Stats{Killed: true, TakenBack: 1, Aborted: 2, Fenced: 1}, wantA: "dA", wantB: "dA", left: "old",
		},
		{
			name: "between two offsets", note: noted(size, 3), groups: "oldnew",
			a:    [][]byte{data(pid, epoch, 0, 2), committed(pid, epoch, 2, before+1)},
			b:    [][]byte{data(pid, epoch, 0, 2), committed(pid, epoch, 2, before+1)},
			want: Stats{Killed: true, TakenBack: 2, Aborted: 2, Fenced: 1}, wantA: "dA", wantB: "dA", left: "old",
		},
		{
			name: "the commit was complete", note: noted(size-1, 3), groups: "oldnew",
			a:    [][]byte{data(pid, epoch, 0, 2), committed(pid, epoch, 2, before)},
			b:    [][]byte{data(pid, epoch, 0, 2), committed(pid, epoch, 2, before)},
			want: Stats{Killed: true, Fenced: 1}, wantA: "dC", wantB: "dC", left: "oldnew",
		},
		{
			name: "the commit was refused, and the broker lived on", note: noted(size, 3), groups: "oldnew",
			a: [][]byte{data(pid, epoch, 0, 2), committed(pid, epoch, 2, before-1)}, b: nil,
			want: Stats{Killed: true, Fenced: 1}, wantA: "dC", left: "oldnew",
		},
		{
			name: "between a marker and its index", note: noted(size, 3), groups: "old",
			a: nil, b: [][]byte{data(pid, epoch, 0, 2), committed(pid, epoch, 2, before)}, unidx: 1,
			want: Stats{Killed: true, Indexed: 1, TakenBack: 1, Aborted: 1, Fenced: 1}, wantB: "dA", left: "old",
		},
	}
}

func openStories() []story {
	return []story{
		{
			name: "nothing was going on", note: nil, groups: "old",
			a: [][]byte{data(pid, epoch, 0, 2), committed(pid, epoch, 2, before)}, b: nil,
			want: Stats{Killed: true, Fenced: 1}, wantA: "dC", left: "old",
		},
		{
			name: "a transaction was open", note: nil, groups: "old",
			a: [][]byte{data(pid, epoch, 0, 2), data(pid, epoch, 2, 2)}, b: [][]byte{data(9, 0, 0, 1), data(pid, epoch, 1, 1)},
			want: Stats{Killed: true, Aborted: 3, Fenced: 1}, wantA: "ddA", wantB: "ddAA", left: "old",
		},
		{
			name: "within a batch", note: nil, groups: "old",
			a: nil, b: [][]byte{data(pid, epoch, 0, 2), committed(pid, epoch, 2, before), data(pid, epoch, 3, 1)}, cut: 10, unidx: 1,
			want: Stats{Killed: true, Fenced: 1}, wantB: "dC", left: "old",
		},
		{
			name: "between a batch and its index", note: nil, groups: "old",
			a: nil, b: [][]byte{data(pid, epoch, 0, 2)}, unidx: 1,
			want: Stats{Killed: true, Indexed: 1, Aborted: 1, Fenced: 1}, wantB: "dA", left: "old",
		},
	}
}

// lay writes the data directory as the process left it.
func (s story) lay(t *testing.T, dir string, pids []byte) (a, b string) {
	t.Helper()
	write(t, filepath.Join(dir, logName), s.note)
	write(t, filepath.Join(dir, sessionName), []byte("{}"))
	write(t, filepath.Join(dir, groupsName), []byte(s.groups))
	write(t, filepath.Join(dir, pidsName), pids)
	a, b = filepath.Join(dir, partsName, "t-0"), filepath.Join(dir, partsName, "t-1")
	segment(t, a, s.a, 0, 0)
	segment(t, b, s.b, s.cut, s.unidx)
	return a, b
}

func TestMend(t *testing.T) {
	pids := pidsLog(t)
	for _, tt := range stories(int64(len(pids))) {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			a, b := tt.lay(t, dir, pids)
			got, err := Mend(dir, now)
			if err != nil || got != tt.want {
				t.Errorf("got %+v, %v, want %+v", got, err, tt.want)
			}
			if got := state(t, a); got != tt.wantA {
				t.Errorf("the first partition is %q, want %q", got, tt.wantA)
			}
			if got := state(t, b); got != tt.wantB {
				t.Errorf("the second partition is %q, want %q", got, tt.wantB)
			}
			if left, err := os.ReadFile(filepath.Join(dir, groupsName)); err != nil || string(left) != tt.left {
				t.Errorf("the offsets are %q, want %q: %v", left, tt.left, err)
			}
			if _, err := os.Stat(filepath.Join(dir, sessionName)); !os.IsNotExist(err) {
				t.Errorf("the clients' sessions are still there: %v", err)
			}
			raw, err := os.ReadFile(filepath.Join(dir, pidsName))
			if epochs, _, _ := readPIDs(raw); err != nil || epochs[pid] != epoch+1 {
				t.Errorf("the producer's epoch is %d: %v", epochs[pid], err)
			}
			// Cut short right here, it is called again, and finds nothing but a log that is longer.
			again, err := Mend(dir, now)
			if want := (Stats{Killed: true, Fenced: 1}); err != nil || again != want {
				t.Errorf("the second time it did %+v, %v", again, err)
			}
		})
	}
}

// segment writes a partition of one segment.
func segment(t *testing.T, dir string, batches [][]byte, cut, unindexed int) {
	t.Helper()
	var dat, idx []byte
	for i, raw := range batches {
		b, _, ok := parseBatch(raw)
		if !ok {
			t.Fatal("the test's batch is no batch")
		}
		dat = append(dat, raw...)
		if i < len(batches)-unindexed {
			idx = b.appendIndex(idx)
		}
	}
	write(t, filepath.Join(dir, "0.dat"), dat[:len(dat)-cut])
	write(t, filepath.Join(dir, "0.idx"), idx)
}

// Records of offsets go on where the log ended, and never twice.
func TestMarkersTakeTheNextOffset(t *testing.T) {
	dir := t.TempDir()
	segment(t, dir, [][]byte{data(1, 0, 0, 10), data(2, 0, 10, 5)}, 0, 0)
	p, _, err := loadPartition(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range p.open() {
		if err := p.abort(o, 1000); err != nil {
			t.Fatal(err)
		}
	}
	p, _, err = loadPartition(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []int64{0, 10, 15, 16} {
		if b := p.batches[i]; b.first != want || b.leader != 5 {
			t.Errorf("batch %d begins at %d in epoch %d, want %d", i, b.first, b.leader, want)
		}
	}
}
