package exit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/unecho/unecho/config"
)

// Exit codes.
const (
	Done         = 0
	Failed       = 1
	BadUsage     = 2
	NothingKnown = 2   // of a verb that looks: it could not, so that it says neither yes nor no
	Interrupted  = 130 // as a shell sees a program that Ctrl-C ended; what goes on until it is stopped ends with 0
	BrokenPipe   = 141 // as a shell sees a program that wrote into head once too often
)

// Error is an error that ends the program in a way of its own.
type Error struct {
	Code   int  // 0 leaves it to the cause
	Logged bool // the verb's log is JSON: collectors read that, and so it is where the error belongs
	Err    error
}

// Error is the cause's text.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Usage marks the error of a command line that cannot be meant.
func Usage(err error) error { return &Error{Code: BadUsage, Err: err} }

// Undone marks the error of a verb that looks at something and could not, if there is one.
func Undone(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Code: NothingKnown, Err: err}
}

// NotThere is an error of opening what the command line names: a file that does not exist is a mistake in the command line, as it
// is in the configuration.
func NotThere(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return Usage(fmt.Errorf("%w; check the name", err))
	}
	return err
}

// CodeOf chooses the exit code. Of errors that wrap each other the outermost decides.
func CodeOf(err error) int {
	if err == nil {
		return Done
	}
	if nobodyReads(err) {
		return BrokenPipe
	}
	var mistakes config.Mistakes
	for rest, e := err, (*Error)(nil); errors.As(rest, &e); rest = e.Err {
		if e.Code != 0 {
			return e.Code
		}
	}
	if errors.As(err, &mistakes) {
		return BadUsage
	}
	return Failed
}

// nobodyReads says that nobody reads standard output any more. That is no failure, and there is nobody to tell.
func nobodyReads(err error) bool {
	var path *fs.PathError
	return errors.Is(err, syscall.EPIPE) && errors.As(err, &path) && path.Path == os.Stdout.Name()
}
