package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
)

// Exit codes.
const (
	exitDone        = 0
	exitFailed      = 1
	exitUsage       = 2
	exitUndone      = 2   // of a verb that looks: it could not, so that it says neither yes nor no
	exitInterrupted = 130 // as a shell sees a program that Ctrl-C ended; what goes on until it is stopped ends with 0
	exitPipe        = 141 // as a shell sees a program that wrote into head once too often
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run executes the command line and returns the exit code.
func run(args []string, stdout, stderr io.Writer) int {
	stderr = terminal.OnScreen(stderr)
	root := rootCommand()
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	err := root.Execute()
	code := exitCodeOf(err)
	switch {
	case code == exitDone || code == exitPipe: // there is nothing to tell, or nobody
	case loggedAsJSON(root, err):
		logFatal(stderr, err, code)
	default:
		tell(stderr, err)
	}
	return code
}

// notThere is an error of opening what the command line names: a file that does not exist is a mistake in the command line, as it
// is in the configuration.
func notThere(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return usageError{fmt.Errorf("%w; check the name", err)}
	}
	return err
}

// undoneError says that a verb which looks at something could not.
type undoneError struct{ error }

func (e undoneError) Unwrap() error { return e.error }

// undone marks an error so, if there is one.
func undone(err error) error {
	if err == nil {
		return nil
	}
	return undoneError{err}
}

// exitCodeOf chooses the exit code.
func exitCodeOf(err error) int {
	var (
		mistakes    config.Mistakes
		usage       usageError
		undone      undoneError
		interrupted interruptedError
	)
	switch {
	case err == nil:
		return exitDone
	case nobodyReads(err):
		return exitPipe
	case errors.As(err, &interrupted):
		return exitInterrupted
	case errors.As(err, &mistakes), errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &undone):
		return exitUndone
	}
	return exitFailed
}

// tell writes err for a person.
func tell(stderr io.Writer, err error) {
	var mistakes config.Mistakes
	if errors.As(err, &mistakes) {
		fmt.Fprintln(stderr, mistakes.Error())
		fmt.Fprintln(stderr, "unecho: "+mistakes.Count()+" in the configuration")
		return
	}
	fmt.Fprintln(stderr, "unecho: "+err.Error())
}

// nobodyReads says that nobody reads standard output any more. That is no failure, and there is nobody to tell.
func nobodyReads(err error) bool {
	var path *fs.PathError
	return errors.Is(err, syscall.EPIPE) && errors.As(err, &path) && path.Path == os.Stdout.Name()
}
