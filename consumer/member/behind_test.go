package member

import (
	"context"
	"fmt"
	"path"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/files/filestest"
	"github.com/unecho/unecho/index/snapshot"
)

// shelved is a follower of a journal that a test makes up. Each document has a segment of its own, and old ones lie in a
// directory, whose file system can fail.
type shelved struct {
	*Follower
	t      *testing.T
	disk   *filestest.Faulty
	signer *index.Signer
	at     index.Stamp
	run    index.Run
}

// Segment implements snapshot.Store.
func (away) Segment(_ context.Context, name string) ([]byte, error) {
	return nil, fmt.Errorf("segment %s: %w", name, snapshot.ErrAway)
}

var shelvedSettings = []byte(`{"settings":"of the test"}`)

func newShelved(t *testing.T) *shelved {
	t.Helper()
	p, fingerprint := index.DefaultParams(), index.Fingerprint(shelvedSettings)
	b := &shelved{t: t, disk: &filestest.Faulty{System: filestest.NewMemory()}}
	directory, err := files.OpenIn(b.disk, "/old", files.Owner{Group: "g"})
	b.must(err)
	replica, err := index.NewReplica(p, fingerprint)
	b.must(err)
	b.signer, err = index.NewSigner(p)
	b.must(err)
	b.Follower = newFollower(&Setup{Name: "m", Counters: NewCounters(), Files: directory, Store: away{}}, replica,
		journal.Begin{LeaderEpoch: -1}, nil)
	b.run = index.Run{Header: index.Header{Fingerprint: fingerprint}, Source: entry.Source{Topic: [16]byte{1}}, Epoch: 1}
	b.must(b.applies(&index.Settings{Text: shelvedSettings}))
	b.must(b.applies(&index.Reposition{Header: b.run.Header, Source: b.run.Source, Name: "news", Partitions: 1, Epoch: 1}))
	b.replica.Reshape(1, 1<<14)
	return b
}

func (b *shelved) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// applies applies the next record.
func (b *shelved) applies(rec index.Record) error {
	b.at.Offset++
	return b.apply(b.t.Context(), b.at, 0, rec)
}

// document is the record of the next document, whose text is that of a number.
func (b *shelved) document(number int) *index.Run {
	var text strings.Builder
	for i := range 12 {
		fmt.Fprintf(&text, "word-%d-%d ", number, i)
	}
	rec := b.run
	rec.Entries = make([]entry.Entry, 1)
	b.signer.Sign(&rec.Entries[0], []byte(text.String()))
	rec.Entries[0].Offset, rec.Entries[0].ID = b.at.Offset, []byte("id")
	return &rec
}

// judges has so many documents be remembered, and writes no file.
func (b *shelved) judges(documents int) {
	b.t.Helper()
	for number := range documents {
		b.must(b.applies(b.document(number)))
	}
	if n := b.replica.Stats().Documents; n != documents {
		b.t.Fatalf("%d documents are remembered, want %d", n, documents)
	}
}

// begins applies a record beside the test.
func (b *shelved) begins(rec index.Record) <-chan error {
	done := make(chan error, 1)
	go func() { done <- b.applies(rec) }()
	synctest.Wait()
	return done
}

// keeps writes files until stopped.
func (b *shelved) keeps() (stop func()) {
	ctx, cancel := context.WithCancel(b.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- KeepFiles(ctx, b.Follower) }()
	return func() {
		b.t.Helper()
		cancel()
		b.must(<-ended)
	}
}

// TestJudgingWaitsForFiles: judging waits while more segments than may wait to be written or to be found by a block, and goes
// on when fewer do. It looks after an erasure at once, which has segments be in memory, and else ten times a second.
func TestJudgingWaitsForFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		documents int // of which the newest is in no sealed segment
		written   bool
		erases    bool
		pause     time.Duration
		waits     bool
	}{
		"few are not written":                  {documents: mostUnfiled, pause: time.Second},
		"many are not written":                 {documents: mostUnfiled + 1, pause: time.Second, waits: true},
		"many, and it is not looked yet":       {documents: mostUnfiled + 1},
		"many after an erasure":                {documents: mostUnfiled + 2, erases: true, waits: true},
		"few after an erasure":                 {documents: mostUnfiled + 1, erases: true},
		"few are found by no block":            {documents: mostUncovered, written: true, pause: time.Second},
		"many are found by no block":           {documents: mostUncovered + 1, written: true, pause: time.Second, waits: true},
		"many are not found, and nobody looks": {documents: mostUncovered + 1, written: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newShelved(t)
				b.judges(c.documents)
				rec := index.Record(b.document(c.documents))
				if c.erases {
					rec = &index.Erase{Header: b.run.Header, Targets: []entry.Position{{Offset: b.at.Offset - 3}}}
				}
				if c.written {
					b.must(b.old.fileAll(t.Context()))
				}
				time.Sleep(c.pause)
				b.waits(b.begins(rec), c.waits)
			})
		})
	}
}

// waits expects a record to wait for files, or not to. If it does, that is a trouble after a while, and ends when files are
// written.
func (b *shelved) waits(done <-chan error, want bool) {
	b.t.Helper()
	select {
	case err := <-done:
		if b.must(err); want {
			b.t.Error("judging does not wait")
		}
		return
	default:
	}
	if !want {
		b.t.Error("judging waits")
	}
	time.Sleep(haltsAfter + time.Second)
	if got := b.Counters.FileTrouble(time.Now()); !strings.Contains(got, "judging waits for files of old documents since") {
		b.t.Errorf("the trouble is %q", got)
	}
	stop := b.keeps()
	b.must(<-done)
	stop()
	if got := b.Counters.FileTrouble(time.Now()); got != "" {
		b.t.Errorf("files are written, and the trouble is %q", got)
	}
}

// TestTroubleNamesTheFile: while a segment or a block cannot be read, what readiness says of that names the file. When it
// can be read again judging goes on.
func TestTroubleNamesTheFile(t *testing.T) {
	t.Parallel()
	for kind, is := range map[string]func(name string) bool{
		"segment": func(name string) bool { return len(name) == 64 }, "block": files.ValidBlockName,
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newShelved(t)
				b.judges(2 * mostUnfiled)
				stop := b.keeps()
				time.Sleep(time.Second)
				if stop(); len(b.replica.Files().Blocks()) == 0 {
					t.Fatal("no block finds the old documents")
				}
				var failed atomic.Pointer[string]
				var sound atomic.Bool
				b.disk.Before = func(c filestest.Call) error {
					if name := path.Base(c.Path); !sound.Load() && c.Op == "read" && is(name) {
						failed.Store(&name)
						return syscall.EIO
					}
					return nil
				}
				done := b.begins(b.document(5)) // a copy of an old one
				time.Sleep(haltsAfter + time.Second)
				got := b.Counters.FileTrouble(time.Now())
				if name := failed.Load(); name == nil || !strings.Contains(got, kind+" "+*name) || !strings.Contains(got, "input/output error") {
					t.Errorf("the trouble is %q", got)
				}
				sound.Store(true)
				b.must(<-done)
				if got := b.Counters.FileTrouble(time.Now()); got != "" || b.Counters.FileErr.Load() != nil {
					t.Errorf("it can be read again, and the trouble is %q", got)
				}
				if n := b.replica.Stats().Duplicate; n != 1 {
					t.Errorf("%d copies are found, want one", n)
				}
			})
		})
	}
}
