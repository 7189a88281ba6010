package outfile

import (
	"errors"
	"fmt"
	"os"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
)

// Named are the files that a command line names.
type Named struct {
	Paths   []string
	Include []string // patterns of files in directories
	List    string   // a file with names
	Zeros   bool     // names end with a byte of 0 there
	Again   string   // the flag that has the files read several times; empty: they are read once
}

// sources returns the files of a list, or those named. size is their total size in bytes, or -1.
func (n Named) sources() (sources corpus.Sources, size int64, err error) {
	once, size, err := n.once()
	if err != nil || n.Again == "" {
		return once, size, err
	}
	sources = func() (corpus.Source, error) { return n.regular(once) }
	if n.List != "" {
		return sources, size, nil
	}
	all, err := sources.All() // before anything is read
	return corpus.Those(all), size, err
}

// regular returns the next source, if it can be read again: a pipe is empty then.
func (n Named) regular(sources corpus.Sources) (corpus.Source, error) {
	s, err := sources()
	if err != nil {
		return s, err
	}
	if s.Path == corpus.Stdin {
		return s, exit.Usage(fmt.Errorf("--%s reads the files several times, and standard input can be read once only: name a file",
			n.Again))
	}
	if info, err := corpus.Stat(s.Path); err == nil && !info.Mode().IsRegular() { // opening it will report an error
		return s, exit.Usage(fmt.Errorf("--%s reads the files several times, and %s is no regular file, such as a pipe: write it "+
			"to a file first, and name that", n.Again, s.Path))
	}
	return s, nil
}

func (n Named) once() (sources corpus.Sources, size int64, err error) {
	end := byte('\n')
	if n.Zeros {
		end = 0
	}
	switch list, paths := n.List, n.Paths; {
	case list != "" && len(paths) > 0:
		return nil, 0, exit.Usage(errors.New("name files, or a list of them by --files-from, not both"))
	case list == corpus.Stdin:
		return corpus.Listed(os.Stdin, end), -1, nil
	case list != "":
		names, err := os.Open(list)
		if err != nil {
			return nil, 0, exit.NotThere(fmt.Errorf("open the list of files: %w", err))
		}
		return corpus.Listed(names, end), -1, nil
	case len(paths) == 0:
		return nil, 0, exit.Usage(errors.New("no file is named; - is standard input"))
	}
	sources, size, err = corpus.Files(n.Paths, n.Include...)
	return sources, size, exit.NotThere(err)
}
