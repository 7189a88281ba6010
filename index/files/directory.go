package files

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/durable"
)

const (
	ownerName = "owner"
	lockName  = "lock"
	// recovered is at the root of each ext file system, which may be mounted as the directory.
	recovered = "lost+found"
)

var (
	// temporary matches the name of a file that is being written.
	temporary = regexp.MustCompile(`^(?:owner|[0-9a-f]{64}|[0-9]+-[0-9]+\.block)\.[0-9]+\.tmp$`)
	blockName = regexp.MustCompile(`^[0-9]+-[0-9]+\.block$`)
)

// ValidBlockName says whether a name can be that of a block: the numbers of its first and last segment.
func ValidBlockName(name string) bool { return blockName.MatchString(name) }

// Directory has the sealed segments of a window, and blocks. Its methods may be called from several goroutines.
type Directory struct {
	system  System
	path    string
	of      Owner
	made    bool        // it was made for the run that has it
	crowded atomic.Bool // a merge has found the disk full
	lock    Lock
	handles handles
	reads   func(file string) (over func()) // set by Watch
	writes  func(file string) (over func())
	written atomic.Int64 // files that were begun: numbers temporary names
	writing sync.Map     // temporary names of those that are being written
}

// Open opens a directory of this machine's file system, for this process alone, and makes it if it is missing. It
// refuses a directory of another owner, and a new one that holds other things.
func Open(path string, of Owner) (*Directory, error) {
	if path == "" {
		return nil, errors.New("no directory is named in " + of.setting())
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	return OpenIn(Machine{}, path, of)
}

// OpenIn does what Open does, in any file system. The path is absolute.
func OpenIn(system System, path string, of Owner) (*Directory, error) {
	d := &Directory{system: system, path: path, of: of, handles: handles{most: system.MostOpen()}}
	nobody := func(string) func() { return func() {} }
	d.Watch(nobody, nobody)
	if err := d.open(); err != nil {
		err = d.explain(err)
		if d.lock != nil {
			err = errors.Join(err, d.lock.Close())
		}
		return nil, fmt.Errorf("open directory of segments %s: %w", path, err)
	}
	return d, nil
}

func (d *Directory) open() (err error) {
	switch _, err := d.system.List(d.path); {
	case errors.Is(err, fs.ErrNotExist):
		d.made = d.of.Run != ""
	case err != nil:
		return err
	}
	if err := d.system.MakeDir(d.path); err != nil {
		return err
	}
	// A directory of others is refused before a lock is left there.
	if err := d.refuse(); err != nil {
		return err
	}
	if d.lock, err = d.system.Lock(d.at(lockName)); err != nil {
		return err
	}
	if err := d.claim(); err != nil {
		return err
	}
	return d.system.SyncDir(d.path) // a dead writer may not have synced the names that it gave last
}

// refuse returns why the directory cannot become ours, if it is not: it holds other things.
func (d *Directory) refuse() error {
	entries, err := d.system.List(d.path)
	if err != nil || slices.ContainsFunc(entries, func(e Entry) bool { return e.Name == ownerName }) {
		return err
	}
	for _, e := range entries {
		if e.Name != lockName && e.Name != recovered && !temporary.MatchString(e.Name) {
			remedy := d.of.another()
			if d.of.Run == "" { // else the directories in it may be those of members
				remedy = "empty it, or " + remedy
			}
			return fmt.Errorf("it has no file %s, but other things, such as %q: %s", ownerName, e.Name, remedy)
		}
	}
	return nil
}

// claim makes the directory that of its owner, or returns why it is not, and removes what dead writers left.
func (d *Directory) claim() error {
	claimed, err := d.claimed()
	if err == nil {
		err = d.remove(temporary.MatchString)
	}
	if err != nil || claimed {
		return err
	}
	data, err := d.of.encode(d.made)
	if err != nil {
		return err
	}
	return d.write(ownerName, d.usable, durable.Data(data))
}

// claimed says whether the directory is somebody's, or why it is another's than the owner's.
func (d *Directory) claimed() (yes bool, err error) {
	data, err := d.readAll(ownerName)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		d.made, err = d.of.check(data)
	}
	return true, err
}

// files returns those of the directory's files.
func (d *Directory) files(which func(name string) bool) ([]Entry, error) {
	entries, err := d.system.List(d.path)
	return slices.DeleteFunc(entries, func(e Entry) bool { return e.Bytes < 0 || !which(e.Name) }), err
}

// remove removes those of the directory's files.
func (d *Directory) remove(which func(name string) bool) error {
	entries, err := d.files(which)
	if err != nil {
		return err
	}
	for _, e := range entries {
		d.handles.drop(e.Name) // Windows does not remove what is open
		err := durable.IgnoreMissing(d.system.Remove(d.at(e.Name)))
		d.handles.drop(e.Name) // a reader may have opened it again
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *Directory) at(name string) string { return filepath.Join(d.path, name) }

// Watch has functions be called when a file is about to be read, or to be written or removed, and what they return when that is
// over. They are called from several goroutines. Nothing else may be called meanwhile.
func (d *Directory) Watch(reads, writes func(file string) (over func())) {
	d.reads, d.writes = reads, writes
}

// Setting returns what names the directory; nil is that of a member.
func (d *Directory) Setting() string {
	if d == nil {
		return Owner{}.setting()
	}
	return d.of.setting()
}

// usable returns why the directory must not be changed: it is closed, or another process may have it.
func (d *Directory) usable() error {
	err := d.handles.usable()
	if err == nil && d.lock.Lost() {
		err = ErrVanished
	}
	return err
}

// Keep removes all segments and blocks but those that are needed, and what failed writes have left, durably on return. What
// is needed is asked when it is known which files are there, so one that is written meanwhile stays. A reader that has a file
// open may read on.
func (d *Directory) Keep(needed func() map[string]bool) (err error) {
	defer d.writes(d.path)()
	if err = d.usable(); err == nil {
		names := sync.OnceValue(needed)
		err = d.remove(func(name string) bool { return kept(name) && !names()[name] || d.unfinished(name) })
	}
	// Also if nothing was removed: an earlier Keep may have failed to sync.
	if err == nil {
		err = d.system.SyncDir(d.path)
	}
	if err != nil {
		return fmt.Errorf("remove old files from %s: %w", d.path, d.explain(err))
	}
	return nil
}

// unfinished says whether a name is that of what a failed write has left. Others may have an owner's to try the disk.
func (d *Directory) unfinished(name string) bool {
	_, goesOn := d.writing.Load(name)
	return !goesOn && temporary.MatchString(name) && !strings.HasPrefix(name, ownerName)
}

// Only is what Keep is told if these files are needed and no others.
func Only(names ...string) func() map[string]bool {
	needed := map[string]bool{}
	for _, name := range names {
		needed[name] = true
	}
	return func() map[string]bool { return needed }
}

// kept says whether a name is that of a segment or a block.
func kept(name string) bool { return snapshot.ValidSegmentName(name) || ValidBlockName(name) }

// Usage counts the segments, and the bytes of segments and blocks.
func (d *Directory) Usage() (segments int, bytes int64, err error) {
	entries, err := d.files(kept)
	if err != nil {
		return 0, 0, fmt.Errorf("list files in %s: %w", d.path, d.explain(err))
	}
	for _, e := range entries {
		bytes += e.Bytes
		if !ValidBlockName(e.Name) {
			segments++
		}
	}
	return segments, bytes, nil
}

// Free returns the bytes of the file system that this user may still write.
func (d *Directory) Free() (int64, error) { return d.system.Free(d.path) }

// Remove removes all that was made in the directory, and closes it. The directory goes, too, if it was made for a run and
// holds nothing else.
func (d *Directory) Remove() error {
	err := d.Keep(Only())
	if err == nil {
		err = d.explain(durable.IgnoreMissing(d.system.Remove(d.at(ownerName))))
	}
	if err == nil {
		_ = d.system.Remove(d.at(lockName)) // Windows does not remove what is open
	}
	if err = errors.Join(err, d.Close()); err == nil && d.made {
		_ = d.system.Remove(d.path) // it stays if others have put something there
	}
	return err
}

// Close closes the files, those that are being read when they were read, and lets other processes have the directory.
// Nothing may be written meanwhile. A second call does nothing.
func (d *Directory) Close() error {
	if !d.handles.close() {
		return nil
	}
	if err := d.lock.Close(); err != nil {
		return fmt.Errorf("close directory of segments %s: %w", d.path, err)
	}
	return nil
}
