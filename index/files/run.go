package files

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/unecho/unecho/index/snapshot"
)

// ErrUnreadable is returned for a file of a run's directory that is lost or damaged: there is no other copy of it.
var ErrUnreadable = errors.New("a file in --directory cannot be read")

// OpenRun opens the directory that --directory names for a run, and removes what a run left that did not end; if this one
// goes on from that, it stays. An empty path is no directory: nil, which End and Beside take.
func OpenRun(path, run string, goesOn bool) (*Directory, error) {
	if path == "" {
		return nil, nil
	}
	d, err := Open(path, Owner{Run: run})
	if err == nil && !goesOn {
		if err = d.Keep(Only()); err != nil {
			err = errors.Join(err, d.Close())
		}
	}
	if err != nil {
		return nil, Mend(fmt.Errorf("--directory: %w", err), "run it again")
	}
	return d, nil
}

// End closes the directory of a run; nil is none. Its files are removed, unless they stay for another run to go on from.
func (d *Directory) End(stay bool) (err error) {
	switch {
	case d == nil:
		return nil
	case stay:
		err = d.Close()
	default:
		err = d.Remove()
	}
	if err != nil {
		return fmt.Errorf("--directory: %w", err)
	}
	return nil
}

// Beside returns what snapshot.Restore takes: nil for none.
func (d *Directory) Beside() snapshot.Files {
	if d == nil {
		return nil
	}
	return d
}

// Unreadable returns the first of the files that cannot be read, and an ErrUnreadable that names it.
func Unreadable(bad map[string]error) (name string, err error) {
	name = slices.Min(slices.Collect(maps.Keys(bad)))
	return name, fmt.Errorf("%w: %s: %w", ErrUnreadable, name, bad[name])
}

// Mend adds to an error of a run what to do about its directory, and how to go on then.
func Mend(err error, again string) error {
	switch {
	case errors.Is(err, ErrFull):
		return fmt.Errorf("%w: make room there, and %s", err, again)
	case errors.Is(err, ErrUnreadable):
		return fmt.Errorf("%w: look at its disk, and %s", err, again)
	}
	return err
}
