package localdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/objects"
)

// watchEvery is how often a lease checks whether its lock file is still the one it locked.
const watchEvery = 2 * time.Second

// Store keeps the snapshots of one index in a directory. Between calls it has no files open except those of its leases.
type Store struct {
	*objects.Store
	dir   directory
	watch time.Duration
}

var (
	_ snapshot.Store  = (*Store)(nil)
	_ snapshot.Leaser = (*Store)(nil)
)

// Open implements snapshot.Opener. It makes the missing directories of the index, checks that it may write there, and
// removes what dead writers left behind.
func (p Params) Open(ctx context.Context, index string) (snapshot.Store, error) {
	s, err := p.open(ctx, index)
	if err != nil {
		return nil, wrap(err, "open snapshot directory %s", p.Path)
	}
	return s, nil
}

// OpenExisting implements snapshot.Opener. It makes nothing, removes nothing, and needs the right to write only for
// methods that write. If the index has no directory, the error names the indexes that have.
func (p Params) OpenExisting(ctx context.Context, index string) (snapshot.Store, error) {
	s, err := p.locate(index)
	if err == nil {
		err = errors.Join(ctx.Err(), s.exists(p.Path))
	}
	if err != nil {
		return nil, wrap(err, "open snapshot directory %s", p.Path)
	}
	return s, nil
}

func (s *Store) exists(dir string) error {
	_, err := os.Stat(filepath.Join(s.dir.root, objects.Manifests))
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: there is no such directory", snapshot.ErrNoStore)
	}
	others, err := filepath.Glob(filepath.Join(dir, "*", objects.Manifests))
	if err != nil || len(others) == 0 {
		return fmt.Errorf("%w in it", snapshot.ErrNoStore)
	}
	for i := range others {
		others[i] = filepath.Base(filepath.Dir(others[i]))
	}
	return fmt.Errorf("%w of group %s in it (group); there are those of %s", snapshot.ErrNoStore, s.Index,
		strings.Join(others, ", "))
}

func (p Params) locate(index string) (*Store, error) {
	if p.Path == "" || index == "" {
		return nil, errors.New("it takes a directory and the name of an index")
	}
	dir, err := filepath.Abs(p.Path)
	if err != nil {
		return nil, err
	}
	of := directory{root: filepath.Join(dir, snapshot.FileName(index))}
	return &Store{Store: &objects.Store{Place: of, Index: index}, dir: of, watch: watchEvery}, nil
}

func (p Params) open(ctx context.Context, index string) (*Store, error) {
	s, err := p.locate(index)
	if err != nil {
		return nil, err
	}
	for _, sub := range []string{objects.Segments, objects.Manifests, leasesDir, tmpDir} {
		if err := s.dir.disk.MakeDir(filepath.Join(s.dir.root, sub)); err != nil {
			return nil, err
		}
	}
	if _, err := s.dir.Now(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s, s.dir.cleanTemp()
}

// Close does nothing, because nothing is open.
func (s *Store) Close() error { return nil }
