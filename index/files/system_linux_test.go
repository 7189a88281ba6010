package files

import (
	"errors"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestKinds: what is no disk of this machine is said, and of others nothing.
func TestKinds(t *testing.T) {
	const network = "a network file system"
	for kind, want := range map[uint32]string{
		unix.NFS_SUPER_MAGIC: network, unix.SMB2_SUPER_MAGIC: network, unix.CIFS_SUPER_MAGIC: network, unix.CEPH_SUPER_MAGIC: network,
		unix.SMB_SUPER_MAGIC: network, unix.AFS_SUPER_MAGIC: network, unix.V9FS_MAGIC: network,
		unix.FUSE_SUPER_MAGIC:      "a file system of another process (FUSE)",
		unix.TMPFS_MAGIC:           "memory (tmpfs)",
		unix.RAMFS_MAGIC:           "memory (tmpfs)",
		unix.OVERLAYFS_SUPER_MAGIC: "a container's own layer, which is gone with the container",
		unix.EXT4_SUPER_MAGIC:      "",
		unix.XFS_SUPER_MAGIC:       "",
		unix.BTRFS_SUPER_MAGIC:     "",
	} {
		if got := kindNamed(kind); got != want {
			t.Errorf("%x is %q, want %q", kind, got, want)
		}
	}
}

// TestMeasureSaysTheKind: what is measured says what it is, whether or not there is room to measure it. Linux has shared memory
// in a tmpfs.
func TestMeasureSaysTheKind(t *testing.T) {
	var done []float64
	s, err := Measure(t.Context(), "/dev/shm", trial(4, &done))
	if err != nil && !errors.Is(err, syscall.ENOSPC) || s.Kind != "memory (tmpfs)" {
		t.Errorf("measured %+v, error %v", s, err)
	}
}
