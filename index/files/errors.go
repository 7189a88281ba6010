package files

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/unecho/unecho/index/snapshot/durable"
)

// Errors that callers branch on.
var (
	// ErrFull: the disk has no room for a file. Nothing is lost; writing succeeds when there is room.
	ErrFull = errors.New("the disk is full")
	// ErrVanished: the directory, or its lock, was taken away while it was open. Another process may have it by now.
	ErrVanished = errors.New("the directory was removed or unmounted while this process ran: bring it back, and start again")
	// ErrMissingBlock: there is no block of that name. It is in no store: build it anew, from its segments.
	ErrMissingBlock = errors.New("the block is not there")

	errContent   = errors.New("its content is not what its name says")
	errBlockName = errors.New("that is no name of a block")
)

// explain adds to an error what happened to the directory, or the remedy.
func (d *Directory) explain(err error) error {
	if errors.Is(err, fs.ErrNotExist) && d.lock != nil && d.lock.Lost() {
		return fmt.Errorf("%w (%w)", ErrVanished, err)
	}
	if d.of.Run != "" && durable.Full(err) { // the run says what to do
		if !errors.Is(err, ErrFull) {
			err = fmt.Errorf("%w: %w", ErrFull, err)
		}
		return err
	}
	return durable.Explain(err, d.of.setting())
}

// full adds to an error of writing what was needed as far as is known, if the disk is full.
func (d *Directory) full(err error, needed int64) error {
	if !durable.Full(err) {
		return err
	}
	has := "an unknown number"
	if n, freeErr := d.Free(); freeErr == nil {
		has = fmt.Sprint(n)
	}
	return fmt.Errorf("%w: at least %d bytes are needed in %s, %s are free there: %w", ErrFull, needed, d.path, has, err)
}
