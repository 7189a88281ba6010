package written

import (
	"errors"
	"fmt"
	"os"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/internal/corpus"
)

// named returns the files of a list, or those named. size is their total size in bytes, or -1.
func named(list string, paths []string) (sources corpus.Sources, size int64, err error) {
	switch {
	case list != "" && len(paths) > 0:
		return nil, 0, exit.Usage(errors.New("name files, or a list of them by --files-from, not both"))
	case list == corpus.Stdin:
		return corpus.Listed(os.Stdin), -1, nil
	case list != "":
		names, err := os.Open(list)
		if err != nil {
			return nil, 0, exit.NotThere(fmt.Errorf("open the list of files: %w", err))
		}
		return corpus.Listed(names), -1, nil
	case len(paths) == 0:
		return nil, 0, exit.Usage(errors.New("no file is named; - is standard input"))
	}
	sources, size, err = corpus.Files(paths)
	return sources, size, exit.NotThere(err)
}
