package member

import (
	"context"
	"errors"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index/snapshot"
)

// errUntrimmed is wrapped by what kept the journal as it was behind a snapshot that was taken.
var errUntrimmed = errors.New("trim the journal")

// trim deletes the journal below the second newest snapshot, if whoever starts sees the store. The mark right before it
// stays, by which a member that restores it knows whose journal that is.
func (k *Keeper) trim(ctx context.Context) error {
	one := k.Params.For == snapshot.ByOne
	if !k.Params.For.Trims() || one && k.Alone == nil {
		return nil
	}
	if one {
		if alone, err := k.Alone(ctx); !alone || err != nil {
			return err
		}
	}
	below, err := k.trimBelow(ctx)
	if err != nil || below <= 1 {
		return err
	}
	return k.Log.Delete(ctx, below-1)
}

// trimBelow returns the journal offset of the second newest snapshot that looks whole: its manifest can be read, and
// its segments are there. It is 0 if there is none. The contents were verified when the snapshot was published.
func (k *Keeper) trimBelow(ctx context.Context) (int64, error) {
	infos, err := k.snapshots(ctx)
	if err != nil {
		return 0, err
	}
	var whole []int64
	for _, i := range infos {
		m, err := k.store.Manifest(ctx, i.Position)
		if snapshot.Damaged(err) {
			continue
		}
		if err != nil {
			return 0, err
		}
		missing, err := k.store.HasSegments(ctx, m.Names())
		if err != nil {
			return 0, err
		}
		if len(missing) > 0 {
			continue
		}
		whole = append(whole, i.Position.Offset)
		if below, ok := protocol.Needless(whole); ok {
			return below, nil
		}
	}
	return 0, nil
}
