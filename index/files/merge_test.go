package files_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/files/filestest"
	"github.com/unecho/unecho/index/paging"
	"github.com/unecho/unecho/index/window"
)

// TestMergeFindsTheDiskFull: blocks whose merge finds the disk full, because another has taken the room, stay as they are,
// and are merged when there is room. A run over files, which would try for each document, merges no more.
func TestMergeFindsTheDiskFull(t *testing.T) {
	t.Run("member", func(t *testing.T) { mergesAgain(t, files.Owner{}, true) })
	t.Run("run", func(t *testing.T) { mergesAgain(t, files.Owner{Run: "unecho dedup"}, false) })
}

// remembering opens a directory, and returns a replica with old documents that do not lie there yet.
func remembering(t *testing.T, disk files.System, owner files.Owner) (*files.Directory, *index.Replica) {
	t.Helper()
	d, err := files.OpenIn(disk, "/files", owner)
	noError(t, err)
	replica, err := index.NewReplica(ofBlocks(), index.Fingerprint(testSettings))
	noError(t, err)
	remember(replica)
	return d, replica
}

func mergesAgain(t *testing.T, owner files.Owner, again bool) {
	t.Helper()
	disk := &filestest.Faulty{System: filestest.NewMemory()}
	d, replica := remembering(t, disk, owner)
	found(t, replica, d)
	of := replica.Files()
	before, full := of.Names(), 0
	disk.Before = func(c filestest.Call) error {
		if c.Op == "write" {
			full++
			return syscall.ENOSPC
		}
		return nil
	}
	of.BlocksOf(window.Sizes{Run: 1, Merge: 2, Parts: 1})
	if err := paging.Keep(t.Context(), d, of); err != nil || full == 0 || !maps.Equal(of.Names(), before) {
		t.Errorf("a merge on a full disk: error %v, %d writes, files %v; want no error, and %v as before", err, full,
			slices.Sorted(maps.Keys(of.Names())), slices.Sorted(maps.Keys(before)))
	}
	disk.Before = nil
	noError(t, paging.Keep(t.Context(), d, of))
	if after := len(of.Blocks()); (of.Due(true) == nil) != again || (len(of.Names()) < len(before)) != again {
		t.Errorf("with room, there are %d blocks, and a merge is due: %t", after, of.Due(true) != nil)
	}
	noError(t, d.Close())
}

// TestMergeFindsNoBlock: a block that is gone, or damaged, when it is merged is said to be unreadable.
func TestMergeFindsNoBlock(t *testing.T) {
	for name, harm := range map[string]func(disk *filestest.Memory, path string) error{
		"gone":    (*filestest.Memory).Remove,
		"damaged": func(disk *filestest.Memory, path string) error { disk.Damage(path, 1000); return nil },
	} {
		disk := filestest.NewMemory()
		d, replica := remembering(t, disk, files.Owner{Run: "unecho dedup"})
		found(t, replica, d)
		of := replica.Files()
		noError(t, d.Close())
		noError(t, harm(disk, "/files/"+of.Blocks()[0].File()))
		d, err := files.OpenIn(disk, "/files", files.Owner{Run: "unecho dedup"})
		noError(t, err)
		of.BlocksOf(window.Sizes{Run: 1, Merge: 2, Parts: 1})
		if err := paging.Keep(t.Context(), d, of); !errors.Is(err, files.ErrUnreadable) {
			t.Errorf("a block that is %s: %v", name, err)
		}
		noError(t, d.Close())
	}
}

// TestFirstBlockFindsTheDiskFull: segments need a block, so a disk that is full when it is made is an error.
func TestFirstBlockFindsTheDiskFull(t *testing.T) {
	disk := &filestest.Faulty{System: filestest.NewMemory()}
	d, replica := remembering(t, disk, files.Owner{})
	replica.Files().BlocksOf(window.Sizes{Run: 1, Merge: 2, Parts: 1})
	disk.Before = func(c filestest.Call) error {
		if c.Op == "create" && strings.Contains(c.Path, ".block") {
			return syscall.ENOSPC
		}
		return nil
	}
	if err := paging.Keep(t.Context(), d, replica.Files()); !errors.Is(err, files.ErrFull) {
		t.Errorf("the first block on a full disk: %v", err)
	}
	noError(t, d.Close())
}
