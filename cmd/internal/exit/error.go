package exit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/stop"
)

// Exit codes.
const (
	Done         = 0
	Failed       = 1
	BadUsage     = 2
	NothingKnown = 2 // a verb that looks at something could not, so it says neither yes nor no
	// as a shell reports a program ended by Ctrl-C; a verb without an end of its own ends with 0 instead
	Interrupted = 130
	BrokenPipe  = 141 // as a shell reports a program that wrote to a closed pipe, such as head
)

// Error is an error that determines how the program ends.
type Error struct {
	Code   int  // exit code; 0 means that of the cause
	Logged bool // the verb's log is JSON, which collectors read, so the error belongs there
	Err    error
}

// Error returns the cause's text.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Usage marks an error as a wrong command line.
func Usage(err error) error { return &Error{Code: BadUsage, Err: err} }

// Undone marks an error, if there is one, of a verb that was to look at something and could not.
func Undone(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Code: NothingKnown, Err: err}
}

// InLog marks an error, if there is one, of a verb whose log is JSON: it belongs there.
func InLog(err error, asJSON bool) error {
	if err == nil || !asJSON {
		return err
	}
	return &Error{Logged: true, Err: err}
}

// NotThere marks an error of opening a file that the command line names. A missing file is a mistake in the command
// line, as it is in the configuration.
func NotThere(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return Usage(fmt.Errorf("%w; check the name", err))
	}
	return err
}

// CodeOf returns the exit code. Of errors that wrap each other the outermost decides.
func CodeOf(err error) int {
	if err == nil {
		return Done
	}
	if nobodyReads(err) {
		return BrokenPipe
	}
	var mistakes config.Mistakes
	var stopped *stop.Error
	for rest, e := err, (*Error)(nil); errors.As(rest, &e); rest = e.Err {
		if e.Code != 0 {
			return e.Code
		}
	}
	if errors.As(err, &mistakes) || errors.As(err, &stopped) && stopped.Config {
		return BadUsage
	}
	return Failed
}

// nobodyReads says whether err means that nobody reads standard output any more. That is no failure, and there is
// nobody to report it to.
func nobodyReads(err error) bool {
	var path *fs.PathError
	return errors.Is(err, syscall.EPIPE) && errors.As(err, &path) && path.Path == os.Stdout.Name()
}

// Report reports the error that the program ends with, if anybody is there to read it, and returns the exit code.
// format is the log format that the command line asks for; if it is empty, the environment decides.
func Report(stderr io.Writer, err error, format string) int {
	code := CodeOf(err)
	switch {
	case code == Done || code == BrokenPipe: // nothing to report, or nobody to report it to
	case loggedAsJSON(err, format):
		log(stderr, err, code)
	default:
		printError(stderr, err)
	}
	return code
}

// loggedAsJSON says whether an error belongs into a JSON log: that of a service, or of any verb that was asked for JSON
// by flag or environment.
func loggedAsJSON(err error, format string) bool {
	if format == "" {
		format = os.Getenv("UNECHO_LOG_FORMAT")
	}
	var e *Error
	return errors.As(err, &e) && e.Logged || format == terminal.JSON
}

// printError writes err for a person. Names of files and of what a broker knows are in it, and may hold anything.
func printError(stderr io.Writer, err error) {
	var mistakes config.Mistakes
	if errors.As(err, &mistakes) {
		fmt.Fprintln(stderr, terminal.Harmless(mistakes.Error()))
		fmt.Fprintln(stderr, "unecho: "+mistakes.Count()+" in the configuration")
		return
	}
	fmt.Fprintln(stderr, "unecho: "+terminal.Harmless(err.Error()))
}

// log writes an error as one line of JSON: what happened and why, and what to do.
func log(stderr io.Writer, err error, code int) {
	cause, remedy := causeAndRemedy(err)
	logger := zerolog.New(stderr).Hook(terminal.Clock{})
	e := logger.WithLevel(zerolog.FatalLevel).Str("cause", cause).Int("exit_code", code)
	if remedy != "" {
		e = e.Str("remedy", remedy)
	}
	e.Msg("unecho ends")
}

// forPeople is an error with a remedy. The cause is empty if it is the error's own text, which then ends with the
// remedy.
type forPeople interface {
	error
	ForPeople() (cause, remedy string)
}

func causeAndRemedy(err error) (cause, remedy string) {
	var known forPeople
	if errors.As(err, &known) {
		cause, remedy = known.ForPeople()
	}
	if cause == "" {
		cause = err.Error()
		for _, separator := range []string{"\n  ", "; "} {
			cause = strings.TrimSuffix(cause, separator+remedy)
		}
	}
	return oneLine(cause), oneLine(remedy)
}

// oneLine joins lines that are indented for a terminal.
func oneLine(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.ReplaceAll(strings.Join(lines, "; "), ":; ", ": ")
}
