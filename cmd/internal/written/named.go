package written

import (
	"errors"
	"fmt"
	"os"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/internal/corpus"
)

// Named are the files that a command line names.
type Named struct {
	Paths   []string
	Include []string // patterns of files in directories
	List    string   // a file with names
	Zeros   bool     // names end with a byte of 0 there
}

// sources returns the files of a list, or those named. size is their total size in bytes, or -1.
func (n Named) sources() (sources corpus.Sources, size int64, err error) {
	end := byte('\n')
	if n.Zeros {
		end = 0
	}
	switch list, paths := n.List, n.Paths; {
	case n.Zeros && list == "":
		return nil, 0, exit.Usage(errors.New("-0 is about a list of names: name one by --files-from"))
	case list != "" && len(paths) > 0:
		return nil, 0, exit.Usage(errors.New("name files, or a list of them by --files-from, not both"))
	case list == corpus.Stdin:
		return corpus.ListedBy(os.Stdin, end), -1, nil
	case list != "":
		names, err := os.Open(list)
		if err != nil {
			return nil, 0, exit.NotThere(fmt.Errorf("open the list of files: %w", err))
		}
		return corpus.ListedBy(names, end), -1, nil
	case len(paths) == 0:
		return nil, 0, exit.Usage(errors.New("no file is named; - is standard input"))
	}
	sources, size, err = corpus.Files(n.Paths, n.Include...)
	return sources, size, exit.NotThere(err)
}
