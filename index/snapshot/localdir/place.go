package localdir

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/durable"
	"github.com/unecho/unecho/index/snapshot/objects"
)

const (
	leasesDir = "leases"
	tmpDir    = "tmp"
	lockFile  = "lock"
)

// directory is the objects.Place of an index.
type directory struct {
	root string // absolute path of what holds everything of the index
	disk durable.OS
}

// path is where an object lies: segments are spread over directories by the first two characters of their names.
func (d directory) path(name string) string {
	if segment, is := strings.CutPrefix(name, objects.Segments); is {
		name = objects.Segments + segment[:min(2, len(segment))] + "/" + segment
	}
	return filepath.Join(d.root, name)
}

func (d directory) leasePath(name string) string {
	return filepath.Join(d.root, leasesDir, snapshot.FileName(name)+".lock")
}

// Put implements objects.Place.
func (d directory) Put(ctx context.Context, name string, data []byte) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path := d.path(name)
	dir := filepath.Dir(path)
	if err := d.disk.MakeDir(dir); err != nil {
		return err
	}
	// The parent is synced even if another member made the directory a moment ago: it may not have synced its name yet.
	if err := d.disk.SyncDir(filepath.Dir(dir)); err != nil {
		return err
	}
	return d.write(path, data)
}

// Read implements objects.Place.
func (d directory) Read(ctx context.Context, name string, _ int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(d.path(name))
	return data, absent(err)
}

// Head implements objects.Place.
func (d directory) Head(ctx context.Context, name string, bytes int64) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	f, err := os.Open(d.path(name))
	if err != nil {
		return nil, absent(err)
	}
	head, err := io.ReadAll(io.LimitReader(f, bytes))
	return head, errors.Join(err, f.Close())
}

func absent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return objects.ErrAbsent
	}
	return err
}

// List implements objects.Place. A file that does not lie where its name belongs is nobody's.
func (d directory) List(ctx context.Context, prefix string) (all []objects.Object, err error) {
	root := filepath.Join(d.root, prefix) + string(filepath.Separator) // the separator makes WalkDir follow a link
	err = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err = cmp.Or(err, ctx.Err()); err != nil || e.IsDir() {
			return err
		}
		name := prefix + e.Name()
		if path != d.path(name) {
			return nil
		}
		info, err := os.Stat(path) // a link counts as what it points to
		if err == nil {
			all = append(all, objects.Object{Name: name, Bytes: info.Size(), At: info.ModTime()})
		}
		return durable.IgnoreMissing(err) // deleted since the directory was read
	})
	return all, err
}

// Delete implements objects.Place.
func (d directory) Delete(ctx context.Context, name string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	path := d.path(name)
	if err := os.Remove(path); err != nil || strings.HasPrefix(name, objects.Segments) {
		return err
	}
	return d.disk.SyncDir(filepath.Dir(path))
}

// Called implements objects.Place.
func (d directory) Called(name string) string { return d.path(name) }

// Wrap implements objects.Place.
func (directory) Wrap(err error, format string, args ...any) error { return wrap(err, format, args...) }
