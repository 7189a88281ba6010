//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Of some files one is damaged and one is removed; of a single one either is done. What is gone is passed over.
func TestHarm(t *testing.T) {
	for n := range 4 {
		dir, paths := t.TempDir(), []string(nil)
		for i := range n {
			paths = append(paths, filepath.Join(dir, fmt.Sprint(i)))
			check(t, os.WriteFile(paths[i], []byte("old documents"), 0o600))
		}
		check(t, harm(paths))
		flipped, removed := 0, 0
		for _, path := range paths {
			switch data, err := os.ReadFile(path); {
			case os.IsNotExist(err):
				removed++
			case err != nil:
				t.Fatal(err)
			case string(data) != "old documents":
				flipped++
			}
		}
		if flipped+removed != min(n, 2) || flipped > 1 || removed > 1 {
			t.Errorf("of %d files %d are damaged and %d removed", n, flipped, removed)
		}
		check(t, os.RemoveAll(dir))
		check(t, harm(paths))
	}
}
