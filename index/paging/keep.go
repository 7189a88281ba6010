package paging

import (
	"context"

	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/window"
)

// Keep has all sealed segments lie in files, makes the blocks that are due, and removes the files that are needed no more.
// Nobody may use the window meanwhile. After an error, less of it lies in files.
func Keep(ctx context.Context, d *files.Directory, of *window.Files) error {
	views := of.Unfiled()
	for i := range views {
		filed, err := d.File(ctx, &views[i])
		if err != nil {
			return err
		}
		of.File(filed)
	}
	made, err := snapshot.Cover(ctx, d, of, true)
	if err == nil && made > 0 {
		_, err = d.Keep(of.Names)
	}
	return err
}
