package filestest

import (
	"encoding/json"
	"errors"
	"path"
	"strings"
	"syscall"
	"testing"

	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/lockfile"
)

// wantRefused expects that a directory cannot be opened, with words, and loses nothing by that.
func (p Place) wantRefused(t testing.TB, of files.Owner, words ...string) {
	t.Helper()
	before, err := p.System.List(p.Path)
	must(t, err)
	d, err := files.OpenIn(p.System, p.Path, of)
	if err == nil {
		t.Fatal("it was opened", d.Close())
	}
	for _, w := range append(words, p.Path) {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%v does not say %q", err, w)
		}
	}
	after, listed := p.System.List(p.Path)
	if must(t, listed); len(after) != len(before) {
		t.Errorf("there were %v, and are %v", before, after)
	}
}

// owners: a directory is opened for whose it is.
func owners(t *testing.T, p Place) {
	d := p.open(t)
	put(t, d, 1)
	must(t, d.Close())
	remedy := "duplicates.remember.directory"
	group, journal, settings := Owner(), Owner(), Owner()
	group.Group, journal.Journal[0], settings.Fingerprint = "olds", 9, 0xf00d
	p.wantRefused(t, group, `of group "news", this member of group "olds"`, remedy)
	p.wantRefused(t, journal, "of the journal with topic id 01000000000000000000000000000002", "09", "delete what is in it", remedy)
	p.wantRefused(t, settings, "fingerprint feed", "f00d", "delete what is in it", remedy)
	wantWhole(t, p.open(t), 1)
}

// ownerFile: what it says can be of a later unecho, or damaged.
func ownerFile(t *testing.T, p Place) {
	var whole []byte
	p.rewrite(t, "owner", func(data []byte) []byte {
		whole = data
		var fields map[string]any
		must(t, json.Unmarshal(data, &fields))
		fields["format"], fields["group"] = 2, []string{"of another type"}
		later, err := json.Marshal(fields)
		must(t, err)
		return later
	})
	p.wantRefused(t, Owner(), "format 2", "reads up to 1", "upgrade this member")
	_, err := files.OpenIn(p.System, p.Path, Owner())
	want(t, err, snapshot.ErrNewerFormat)
	for _, text := range []string{"", "of a person", "{}", string(whole[:len(whole)-1])} {
		p.rewrite(t, "owner", func([]byte) []byte { return []byte(text) })
		p.wantRefused(t, Owner(), "its file owner is damaged, or not of unecho", "delete what is in it")
	}
	p.rewrite(t, "owner", func([]byte) []byte { return whole })
}

// others: a directory that holds other things does not become one of unecho. At the root of a file system there may be
// what that needs.
func others(t *testing.T, p Place) {
	must(t, p.System.MakeDir(path.Join(p.Path, "lost+found")))
	name, _ := Content(1)
	for _, other := range []string{"thesis.txt", name, "x.1.tmp", name + ".tmp", blockName(1)} {
		p.rewrite(t, other, func([]byte) []byte { return []byte("of a person") })
		p.wantRefused(t, Owner(), other, "other things", "empty it")
		must(t, p.System.Remove(path.Join(p.Path, other)))
	}
	must(t, p.open(t).Close())
	if !p.has(t, "lost+found") {
		t.Error("it removed lost+found")
	}
	ownerFile(t, p)
	file := Place{p.System, path.Join(p.Path, "owner")}
	if _, err := files.OpenIn(file.System, file.Path, Owner()); err == nil || !strings.Contains(err.Error(), "a file stands where") {
		t.Errorf("opening a file says %v", err)
	}
}

// oneProcess: a second open is refused, and changes nothing for the first.
func oneProcess(t *testing.T, p Place) {
	d := p.open(t)
	put(t, d, 1)
	p.wantRefused(t, Owner(), "uses it now", "pid ", "name another directory")
	_, err := files.OpenIn(p.System, p.Path, Owner())
	if taken := (*lockfile.TakenError)(nil); !errors.As(err, &taken) || taken.By == "" {
		t.Errorf("got %v, want who has it", err)
	}
	put(t, d, 2)
	must(t, d.Close())
	d = p.open(t)
	wantWhole(t, d, 1)
	// Somebody cleans up: another process can take the new lock, so this one must not change anything.
	must(t, p.System.Remove(path.Join(p.Path, "lock")))
	second := p.open(t)
	name, data := Content(3)
	want(t, d.Put(t.Context(), name, data), files.ErrVanished)
	want(t, d.Keep(files.Only()), files.ErrVanished)
	wantWhole(t, second, 2)
}

// remedies: what a file system says at the first call is told with what to do.
func remedies(t *testing.T, p Place) {
	for cause, words := range map[error]string{
		syscall.EROFS:  "mount it writable, or name another directory in duplicates.remember.directory",
		syscall.EACCES: "give the directory to the user", syscall.ENOLCK: "flock", syscall.EIO: "the system's log",
		syscall.ENOSPC: "make room there",
	} {
		for _, op := range []string{"makedir", "list", "lock", "create"} {
			faulty := &Faulty{System: p.System, Before: func(c Call) error {
				if c.Op == op {
					return cause
				}
				return nil
			}}
			_, err := files.OpenIn(faulty, p.Path, Owner())
			if err == nil || strings.Count(err.Error(), words) != 1 || !strings.Contains(err.Error(), p.Path) {
				t.Errorf("%s says %v, want once: %s", op, err, words)
			}
		}
	}
}

// leftBehind: what dead writers left goes, what only looks alike stays.
func leftBehind(t *testing.T, p Place) {
	must(t, p.open(t).Close())
	name, _ := Content(1)
	left := map[string]bool{
		"owner.1.tmp": false, name + ".1.tmp": false, name + ".207.tmp": false, "notes.1.tmp": true, name + ".x.tmp": true,
		"0-12.block.7.tmp": false, "0-12.block.x.tmp": true, "a-12.block.7.tmp": true, "my0-12.block.7.tmp": true,
	}
	for file := range left {
		p.rewrite(t, file, func([]byte) []byte { return []byte("half") })
	}
	d := p.open(t)
	for file, stays := range left {
		if p.has(t, file) != stays {
			t.Errorf("%s is there: %t, want %t", file, !stays, stays)
		}
	}
	put(t, d, 1)
	wantWhole(t, d, 1)
}
