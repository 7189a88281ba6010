package files_test

import (
	"path/filepath"
	"testing"

	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/files/filestest"
)

func TestMachine(t *testing.T) {
	filestest.Run(t, func(t *testing.T) filestest.Place {
		return filestest.Place{System: files.Machine{}, Path: filepath.Join(t.TempDir(), "deep", "segments")}
	})
}

func TestMemory(t *testing.T) {
	filestest.Run(t, func(*testing.T) filestest.Place {
		return filestest.Place{System: filestest.NewMemory(), Path: "/data/segments"}
	})
}

// TestFaulty: a file system that could fail, and does not, is as the one below it.
func TestFaulty(t *testing.T) {
	filestest.Run(t, func(*testing.T) filestest.Place {
		return filestest.Place{System: &filestest.Faulty{System: filestest.NewMemory()}, Path: "/data/segments"}
	})
}

func TestCrashes(t *testing.T) { filestest.Crashes(t) }

func TestFull(t *testing.T) { filestest.Full(t) }
