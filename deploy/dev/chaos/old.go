//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// oldDisk is the size of the disk on which a member keeps old documents.
const oldDisk = 32 << 20

// remembersIn gives a place of the group a directory for old documents. Every other place has one. A soak looks at members
// that have all in memory.
func (s *scene) remembersIn(i int, m *member) error {
	if i%2 == 0 || s.params.soak > 0 {
		s.old = append(s.old, nil)
		return nil
	}
	d, err := newDisk(filepath.Join(s.dir, fmt.Sprintf("old-%d", i)), oldDisk)
	if err != nil {
		return err
	}
	s.old = append(s.old, d)
	m.args = append(m.args, "--set", "duplicates.remember.directory="+d.dir)
	return nil
}

// harmOld flips a bit in one file with a member's old documents, removes another, and fills their disk for a while. It
// returns false if there are none.
func (s *scene) harmOld(ctx context.Context, e event) (bool, error) {
	d := s.old[e.member]
	if d == nil {
		return false, nil
	}
	var found []string
	if err := until(ctx, "old documents lie in files", time.Minute, func(context.Context) bool {
		found, _ = filepath.Glob(filepath.Join(d.dir, s.name, strings.Repeat("[0-9a-f]", 64))) // the pattern is right
		return len(found) > 1
	}); err != nil {
		return false, nil //nolint:nilerr // the member is away, or its disk is full
	}
	flipped := rand.IntN(len(found))
	removed := (flipped + 1 + rand.IntN(len(found)-1)) % len(found)
	// the member removes files that it needs no more
	if err := flip(found[flipped]); !errors.Is(err, fs.ErrNotExist) && err != nil {
		return true, err
	}
	if err := os.Remove(found[removed]); !errors.Is(err, fs.ErrNotExist) && err != nil {
		return true, err
	}
	_, err := d.fill(ctx, lasting(e.lasts))
	return true, err
}

// flip flips a bit of a file.
func flip(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err == nil {
		one, at := make([]byte, 1), rand.Int64N(info.Size())
		if _, err = f.ReadAt(one, at); err == nil {
			one[0] ^= 1 << rand.IntN(8)
			_, err = f.WriteAt(one, at)
		}
	}
	return errors.Join(err, f.Close())
}
