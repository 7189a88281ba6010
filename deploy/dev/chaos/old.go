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

// harmOld flips a bit in one segment with a member's old documents, and removes another one; it does the same to the blocks that
// find them, and fills their disk for a while. It returns false if there are no segments.
func (s *scene) harmOld(ctx context.Context, e event) (bool, error) {
	d := s.old[e.member]
	if d == nil {
		return false, nil
	}
	segments, blocks := filepath.Join(d.dir, s.name, strings.Repeat("[0-9a-f]", 64)), filepath.Join(d.dir, s.name, "*.block")
	var found []string
	if err := until(ctx, "old documents lie in files", time.Minute, func(context.Context) bool {
		found, _ = filepath.Glob(segments) // the pattern is right
		return len(found) > 1
	}); err != nil {
		return false, nil //nolint:nilerr // the member is away, or its disk is full
	}
	finders, err := filepath.Glob(blocks)
	if err = errors.Join(err, harm(found), harm(finders)); err != nil {
		return true, err
	}
	_, err = d.fill(ctx, lasting(e.lasts))
	return true, err
}

// harm flips a bit in one of some files, and removes another one. If there is only one, either is done.
func harm(paths []string) error {
	ways := []func(path string) error{flip, os.Remove}
	rand.Shuffle(len(ways), func(i, k int) { ways[i], ways[k] = ways[k], ways[i] })
	for i, at := range rand.Perm(len(paths))[:min(len(ways), len(paths))] {
		if err := ways[i](paths[at]); err != nil && !errors.Is(err, fs.ErrNotExist) { // the member removes what it needs no more
			return err
		}
	}
	return nil
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
