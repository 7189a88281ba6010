package files

import (
	"os"

	"golang.org/x/sys/unix"
)

// readRandomly keeps the system from reading ahead, as by default it reads 128 KiB where a page is asked for. If it does
// not comply, reads are only slower.
func readRandomly(f *os.File) { _ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_RANDOM) }

func free(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	return int64(s.Bavail) * s.Bsize, nil
}

// openFiles returns how many files this process may have open; 0 if the system does not say.
func openFiles() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return 0
	}
	return int(min(limit.Cur, 1<<20))
}

// direct has a file be read past the system's cache, which also gives up what it has of the file. It returns false if the
// file system cannot do that.
func direct(f *os.File) bool {
	fd := f.Fd()
	_ = unix.Fadvise(int(fd), 0, 0, unix.FADV_DONTNEED) // what it does not give up is told by the result
	flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
	if err == nil {
		_, err = unix.FcntlInt(fd, unix.F_SETFL, flags|unix.O_DIRECT)
	}
	if err != nil {
		readRandomly(f)
		return false
	}
	if err := readFull(f, alignedPage(), 0); err != nil { // some take the flag, and then refuse
		_, _ = unix.FcntlInt(fd, unix.F_SETFL, flags) // if it fails, so do the reads, which say why
		readRandomly(f)
		return false
	}
	return true
}

// kindOf says what a directory lies on, if it is no disk of this machine.
func kindOf(dir string) string {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return "" // who writes there learns why
	}
	return kindNamed(uint32(s.Type))
}

// kindNamed says what a file system of a type of statfs(2) is, if it is no disk of this machine.
func kindNamed(kind uint32) string {
	switch kind {
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC,
		unix.AFS_SUPER_MAGIC, unix.V9FS_MAGIC:
		return "a network file system"
	case unix.FUSE_SUPER_MAGIC:
		return "a file system of another process (FUSE)"
	case unix.TMPFS_MAGIC, unix.RAMFS_MAGIC:
		return "memory (tmpfs)"
	case unix.OVERLAYFS_SUPER_MAGIC:
		return "a container's own layer, which is gone with the container"
	}
	return ""
}
