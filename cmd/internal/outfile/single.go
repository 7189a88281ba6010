package outfile

import (
	"fmt"
	"io"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
)

// Single is a file that a flag names and that is written whole at the end of a verb: a page, a report.
type Single struct {
	Flag   string
	Path   string // - is standard output; empty: nothing is written
	Stdout io.Writer
}

// OnStdout says whether it is written to standard output.
func (s Single) OnStdout() bool { return s.Path == corpus.Stdin }

// Ready checks, before long work, whether it can be written. taken says that something else goes to standard output.
func (s Single) Ready(taken bool) error {
	switch {
	case s.Path == "" || s.OnStdout() && !taken:
		return nil
	case s.OnStdout():
		return exit.Usage(fmt.Errorf("--%s -: standard output is taken already", s.Flag))
	}
	return s.named(Replaceable(s.Path))
}

// Write writes it, if it was asked for.
func (s Single) Write(write func(io.Writer) error) error {
	switch {
	case s.Path == "":
		return nil
	case s.OnStdout():
		return write(s.Stdout)
	}
	return s.named(Replace(s.Path, 0o666, write))
}

func (s Single) named(err error) error {
	if err != nil {
		err = fmt.Errorf("write --%s: %w", s.Flag, err)
	}
	return err
}
