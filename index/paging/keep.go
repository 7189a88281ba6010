package paging

import (
	"context"
	"errors"
	"fmt"

	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/window"
	"github.com/unecho/unecho/index/wire"
)

// Keep has all sealed segments lie in files, makes the blocks that are due, and removes the files that are needed no more.
// Nobody may use the window meanwhile. After an error, less of it lies in files. It wraps files.ErrUnreadable if a file is lost
// or damaged.
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
	if errors.Is(err, wire.ErrCorrupt) || errors.Is(err, files.ErrMissingBlock) || snapshot.Damaged(err) {
		err = fmt.Errorf("%w: %w", files.ErrUnreadable, err)
	}
	if err == nil && made > 0 {
		err = d.Keep(of.Names)
	}
	return err
}
