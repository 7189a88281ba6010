//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// Sizes of disks of their own.
const (
	snapshotDisk = 64 << 20
	brokerDisk   = 512 << 20
)

// disk is the file system of a directory. If mounting is allowed, it is a file system of its own, which can be
// filled without harm to anyone else.
type disk struct {
	dir string
	own bool
}

func newDisk(dir string, size int) (*disk, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	return &disk{dir: dir, own: mount(dir, size) == nil}, nil
}

func (d *disk) remove() error {
	if !d.own {
		return nil
	}
	if err := unmount(d.dir); err != nil {
		return fmt.Errorf("unmount %s: %w", d.dir, err)
	}
	return nil
}

// fill fills the disk for as long as something is done. It returns false if the directory has no disk of its own.
func (d *disk) fill(ctx context.Context, meanwhile func(context.Context) error) (bool, error) {
	if !d.own {
		return false, nil
	}
	path := filepath.Join(d.dir, "filler")
	f, err := os.Create(path)
	if err != nil {
		return true, err
	}
	for zeros := bytes.Repeat([]byte{1}, 4096); err == nil; {
		_, err = f.Write(zeros)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		return true, errors.Join(err, f.Close())
	}
	return true, errors.Join(meanwhile(ctx), f.Close(), os.Remove(path))
}
