package main

import (
	"fmt"
	"syscall"
)

// mount gives a directory a disk of its own, in memory. Only root may do that.
func mount(dir string, bytes int) error {
	return syscall.Mount("chaos", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes))
}

func unmount(dir string) error { return syscall.Unmount(dir, syscall.MNT_DETACH) }
