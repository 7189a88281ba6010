package localdir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/unecho/unecho/index/snapshot"
)

// Remove deletes everything that is stored of an index, leases included. Nobody may use the index any more. It returns
// false if there is nothing, which is no error. What an interrupted Remove left is deleted by the next one.
func Remove(ctx context.Context, p snapshot.Params, index string) (bool, error) {
	s, err := locate(p, index)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		_, err = os.Stat(s.root)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = os.RemoveAll(s.root)
	}
	if err != nil {
		return false, fmt.Errorf("remove snapshots of index %s from %s: %w", index, p.Directory, explain(err))
	}
	return true, nil
}
