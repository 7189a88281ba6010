package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

// Outputs are the files that one verb writes side by side. Their old content stays until Begin.
type Outputs struct {
	IntegerIDs bool // all ids are integers, and so they are in Parquet

	stdout io.Writer
	named  []namedFile // in the order in which they were opened
	files  Files
	wrong  error // the first of opening them
	begun  bool
}

type namedFile struct {
	name string
	*File
}

// NewOutputs has no file yet. What is named - goes to stdout.
func NewOutputs(stdout io.Writer) *Outputs { return &Outputs{stdout: stdout} }

// Open opens the output that a flag names; nil if the path is empty, or something went wrong, which Opened returns.
func (o *Outputs) Open(flag, path string) *File {
	if path == "" || o.wrong != nil {
		return nil
	}
	for _, other := range o.named {
		if path == corpus.Stdin && other.OnStdout() {
			o.wrong = exit.Usage(fmt.Errorf("--%s and --%s cannot both go to standard output", other.name, flag))
			return nil
		}
	}
	f, err := Open(path, o.stdout)
	if o.wrong = err; err != nil {
		return nil
	}
	o.named = append(o.named, namedFile{flag, f})
	o.wrong = o.files.Own(path, o.stdout)
	return f
}

// OpenRecords opens an output of records, as Open does.
func OpenRecords[T any](o *Outputs, flag, path string) (r *Records[T]) {
	if f := o.Open(flag, path); f != nil && o.wrong == nil {
		r, o.wrong = newRecords[T](path, f, o.IntegerIDs)
	}
	return r
}

// Opened returns what went wrong when they were opened.
func (o *Outputs) Opened() error { return o.wrong }

// Writes says whether a file is an output. A list of files that is still being made may name one.
func (o *Outputs) Writes(info fs.FileInfo) bool { return o.files.Has(info) }

// OnTerminal says whether an output is written to the terminal, between messages and progress.
func (o *Outputs) OnTerminal() bool {
	return slices.ContainsFunc(o.named, func(f namedFile) bool { return f.OnStdout() }) && terminal.Is(o.stdout)
}

// Named are those that were opened, by their flags.
func (o *Outputs) Named() map[string]*File {
	all := map[string]*File{}
	for _, f := range o.named {
		all[f.name] = f.File
	}
	return all
}

// Begun says whether the old content of the files is gone.
func (o *Outputs) Begun() bool { return o.begun }

// Begin empties the files once there is something to write: before that, a mistyped column would destroy their content.
func (o *Outputs) Begin() error {
	if o.begun {
		return nil
	}
	o.begun = true
	for _, f := range o.named {
		if err := f.Begin(); err != nil {
			return err
		}
	}
	return nil
}

// Resume takes the place of Begin: the files go on behind these lengths.
func (o *Outputs) Resume(lengths map[string]int64) error {
	o.begun = true
	for _, f := range o.named {
		length, known := lengths[f.name]
		if !known {
			return fmt.Errorf("go on: the checkpoint does not know --%s", f.name)
		}
		if err := f.Resume(length); err != nil {
			return err
		}
	}
	return nil
}

// End ends all of them, and adds what goes wrong to err. A file that ended with err returns that again.
func (o *Outputs) End(err error) error {
	all := []error{err}
	for _, f := range o.named {
		if more := f.End(); !errors.Is(err, more) {
			all = append(all, more)
		}
	}
	return errors.Join(all...)
}

// Close closes all of them. What was not ended is lost.
func (o *Outputs) Close() error {
	var all []error
	for _, f := range o.named {
		all = append(all, f.Close())
	}
	return errors.Join(all...)
}
