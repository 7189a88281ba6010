package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/unecho/unecho/consumer/audit"
)

// small mounts a file system of so many bytes.
func small(t *testing.T, dir string, bytes int) {
	t.Helper()
	check(t, os.MkdirAll(dir, 0o700))
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		t.Skipf("a small file system cannot be mounted, which takes root and a container that allows it: %v", err)
	}
	t.Cleanup(func() { check(t, unix.Unmount(dir, unix.MNT_DETACH)) })
}

func TestDirectoryIsFull(t *testing.T)     { directoryIsFull(t, false) }
func TestDirectoryIsFullLong(t *testing.T) { directoryIsFull(t, true) }

// directoryIsFull has the disk of the directory be full. Judging goes on until 16 segments wait, and waits then. The log
// says what is needed. If that takes so long that the member leaves, the other one takes over. When there is room
// everything goes on.
func directoryIsFull(t *testing.T, leaves bool) {
	t.Helper()
	t.Parallel()
	f, journal := newFiling(t, 20_000)
	small(t, f.dir, 512<<10)
	f.begin(inMemory)
	f.begin(inFiles)
	filing := f.by[inFiles]
	f.comes(7000)
	filing.says("the disk is full: ")
	f.settled()
	f.equal()
	const waits = "judging waits for files of old documents"
	if strings.Contains(filing.log.String(), waits) {
		t.Error("judging waits already")
	}
	f.comes(10_000)
	filing.says(waits)
	if leaves {
		filing.says("this member leaves the group until it has caught up")
		f.settled()
	}
	check(t, unix.Mount("", f.dir, "", unix.MS_REMOUNT, "size=64m"))
	filing.says("old documents wait no more to be written to their directory")
	filing.says("judging waits no more for files of old documents")
	f.settled()
	f.members(4, 6)
	f.equal()
	stopAll(t, patience, f.by[inMemory], filing)
	journal.upToDate()
	if report := f.audited(journal.topic); report.Outcome() != audit.Proven {
		t.Errorf("the audit says %s", &report)
	}
}

// The disk of the directory has room for the window and little more. What has left the window makes room, while a process
// runs and when it starts again after long.
func TestDirectoryMakesRoom(t *testing.T) {
	t.Parallel()
	f, journal := newFiling(t, 5000)
	small(t, f.dir, 1400<<10)
	f.begin(inMemory)
	f.begin(inFiles)
	for range 4 {
		f.comes(5000)
		f.settled()
	}
	f.by[inFiles].kill()
	f.comes(12_000)
	f.settled()
	f.begin(inFiles)
	f.comes(5000)
	f.settled()
	f.equal()
	stopAll(t, patience, f.by[inMemory], f.by[inFiles])
	journal.upToDate()
	f.audited(journal.topic)
}
