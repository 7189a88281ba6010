package exit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
)

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
