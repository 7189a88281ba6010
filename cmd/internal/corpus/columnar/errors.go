package columnar

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
)

// ErrDamaged is returned for a file that is not as its format says.
var ErrDamaged = errors.New("the file is damaged")

// ErrTooLarge is returned for a row that is larger than MaxRow. The rows behind it can be read.
var ErrTooLarge = fmt.Errorf("the row is longer than %d MiB", MaxRow>>20)

// MaxRow bounds a row in bytes, as JSON.
const MaxRow = 64 << 20

// guard runs work of the library on a file that may be hostile. What it panics with is an error: the library checks
// less than such a file needs.
func guard(what string, work func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: %w: %w", what, ErrDamaged, panicked(p))
		}
	}()
	switch err := work(); {
	case errors.Is(err, io.EOF): // what was to be there is not
		return fmt.Errorf("%s: %w: %v", what, ErrDamaged, err) //nolint:errorlint // it is not the end of the rows
	case err != nil:
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// panicked returns what the library panics with. An error of Go's runtime says where in the program that is, and nothing of
// the file.
func panicked(p any) error {
	if _, ok := p.(runtime.Error); ok {
		return errors.New("sizes, places or counts in it contradict each other")
	}
	return fmt.Errorf("%v", p)
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}
