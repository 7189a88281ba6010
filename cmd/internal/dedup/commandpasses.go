package dedup

import (
	"errors"
	"slices"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/internal/corpus"
)

// checkPasses refuses what several passes cannot do.
func (r *dedupRun) checkPasses() error {
	r.passes = cmdline.Bool(r.cmd, "passes")
	switch {
	case !r.passes:
		return nil
	case r.List == corpus.Stdin || slices.Contains(r.Query, corpus.Stdin):
		return exit.Usage(errors.New("--passes reads the files several times, and standard input can be read once only: name a file"))
	case len(r.Old) > 0 || r.Load+r.Save != "":
		return exit.Usage(errors.New("--passes has a part of the index in memory at a time: leave out --index, --index-file and --save-index"))
	case r.All:
		return exit.Usage(errors.New("--passes remembers unique documents only: leave out --matches all, and a --distance beyond blocks"))
	case r.HTML != "":
		return exit.Usage(errors.New("--passes comes to documents in another order than that of a page: leave out --html"))
	case r.Config.Judge.KeepsAll():
		return exit.Usage(errors.New("--passes remembers unique documents only: leave out index.keep: all"))
	}
	return nil
}

// again opens the same files once more.
func (r *dedupRun) again() (*Input, error) {
	_, query, err := r.open()
	return query, err
}
