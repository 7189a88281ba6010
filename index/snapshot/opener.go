package snapshot

import (
	"context"

	"github.com/unecho/unecho/index/setting"
)

// Opener is a kind of store with its settings: a struct of settings (see setting) of the section snapshots. All that the
// rest of the program knows of a kind of store is here; config lists the kinds. An error says by itself what was opened.
type Opener interface {
	// Validate returns every mistake in the settings. It never shows a secret.
	Validate() []setting.Mistake
	// Open opens the store of an index, which is made where it is missing.
	Open(ctx context.Context, index string) (Store, error)
	// OpenExisting opens the store for a verb that only looks, and makes nothing. Expect ErrNoStore.
	OpenExisting(ctx context.Context, index string) (Store, error)
	// Remove deletes everything that is stored of an index, which nobody may use any more. It returns false if that is
	// nothing.
	Remove(ctx context.Context, index string) (bool, error)
	// UsedBy says who uses the store.
	UsedBy() Use
}

// Prober is an Opener of stores that may lack what a Store must do. The doctor tries them, also before anything is stored.
type Prober interface {
	// Probe writes something beside the snapshots of an index, and deletes it. It returns an error if the store lacks what
	// it must do, else a remark on what it does besides.
	Probe(ctx context.Context, index string) (remark string, err error)
}
