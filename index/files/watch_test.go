package files_test

import (
	"io"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/files/filestest"
	"github.com/unecho/unecho/index/snapshot"
)

// TestWatch: each call of the file system that may hang, while files are read, written or removed, is told before and after.
func TestWatch(t *testing.T) {
	disk := &filestest.Faulty{System: filestest.NewMemory()}
	d, err := files.OpenIn(disk, "/old", files.Owner{Group: "g"})
	noError(t, err)
	var reading, writing atomic.Pointer[string]
	told := func(now *atomic.Pointer[string]) func(string) func() {
		return func(file string) func() {
			now.Store(&file)
			return func() { now.Store(nil) }
		}
	}
	d.Watch(told(&reading), told(&writing))
	seen := map[string]int{}
	disk.Before = func(c filestest.Call) error {
		seen[c.Op]++
		now := writing.Load()
		if now == nil {
			now = reading.Load()
		}
		if c.Op != "close" && (now == nil || *now != "/old" && !strings.HasPrefix(filepath.Base(c.Path), *now) && c.Op != "syncdir") {
			t.Errorf("%s of %s is not told", c.Op, c.Path)
		}
		return nil
	}
	data, block := []byte("a segment"), "0-7.block"
	name := snapshot.SegmentName(data)
	noError(t, d.Put(t.Context(), name, data))
	noError(t, d.Write(t.Context(), block, func(w io.Writer) error { _, err := w.Write(data); return err }))
	_, err = d.Read(t.Context(), name)
	noError(t, err)
	_, err = d.ReadPage(name, 0, nil)
	noError(t, err)
	f, _, err := d.OpenBlock(block)
	noError(t, err)
	_, err = f.ReadAt(make([]byte, len(data)), 0)
	noError(t, err)
	noError(t, f.Close())
	noError(t, d.Keep(files.Only()))
	for _, op := range []string{"create", "write", "sync", "rename", "syncdir", "open", "read", "list", "remove"} {
		if seen[op] == 0 {
			t.Errorf("there was no %s", op)
		}
	}
	if reading.Load() != nil || writing.Load() != nil {
		t.Error("what is over is still told")
	}
}
