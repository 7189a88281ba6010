package paging

import (
	"context"
	"fmt"

	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/window"
)

// Keep has all sealed segments lie in files, makes the blocks that are due, and removes the files that are needed no more.
// Nobody may use the window meanwhile. After an error, less of it lies in files.
func Keep(ctx context.Context, d *files.Directory, of *window.Files) error {
	views := of.Unfiled()
	for i := range views {
		filed, err := d.File(ctx, &views[i], nil)
		if err != nil {
			return err
		}
		of.File(filed)
	}
	made, err := Cover(ctx, d, of, of.DueNew)
	if err != nil {
		return err
	}
	merged, err := Cover(ctx, d, of, func() *window.Run {
		run := of.DueMerge()
		if run != nil {
			if _, _, room := d.Room(run); !room {
				return nil
			}
		}
		return run
	})
	if err == nil && made+merged > 0 {
		_, err = d.Keep(of.Names)
	}
	return err
}

// Cover makes blocks as long as one is due.
func Cover(ctx context.Context, d *files.Directory, of *window.Files, due func() *window.Run) (made int, err error) {
	for run := due(); run != nil; run = due() {
		b, err := d.Block(ctx, run)
		if err != nil {
			return made, err
		}
		if !of.Adopt(b) {
			return made, fmt.Errorf("block %s is of no use for the window that it was made of", b.File())
		}
		made++
	}
	return made, nil
}
