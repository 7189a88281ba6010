package localdir

import (
	"context"
	"errors"
	"io/fs"
	"os"
)

// Remove implements snapshot.Opener. The leases go too. What an interrupted Remove left is deleted by the next one.
func (p Params) Remove(ctx context.Context, index string) (bool, error) {
	s, err := p.locate(index)
	if err == nil {
		err = ctx.Err()
	}
	if err == nil {
		_, err = os.Stat(s.dir.root)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err == nil {
		err = os.RemoveAll(s.dir.root)
	}
	return err == nil, wrap(err, "remove snapshots of index %s from %s", index, p.Path)
}
