package explain

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/internal/corpus"
)

// errFound ends the reading of documents once all are found.
var errFound = errors.New("found")

// Find returns the documents of these names in a file, or in the files of a directory. Documents are called by their
// ids, or else by their numbers. The first of a name is taken, and what comes behind both is not read.
func Find(ctx context.Context, in *corpus.Reader, path string, names [2]string) (found [2]Input, err error) {
	var (
		missing = map[string][]int{}
		first   string
		name    []byte
	)
	for i, n := range names {
		missing[n] = append(missing[n], i)
	}
	err = corpus.Each(ctx, in, func(r *corpus.Record) error {
		if r.Bad != nil && corpus.OfFile(r.Bad.Reason) {
			return r.Refused(r.Bad)
		}
		name = r.Name(name[:0], false)
		if first == "" {
			first = string(name)
		}
		if _, wanted := missing[string(name)]; !wanted && len(r.ID) == 0 && r.Number > 0 { // the number alone is enough in one file
			name = strconv.AppendInt(name[:0], int64(r.Number), 10)
		}
		places, wanted := missing[string(name)]
		if !wanted {
			return nil
		}
		if r.Bad != nil {
			return fmt.Errorf("%s would be rejected: %s: %s", name, r.Bad.Reason, r.Bad.Detail)
		}
		for _, i := range places {
			found[i] = Input{Text: slices.Clone(r.Text), Scope: r.Scope}
		}
		if delete(missing, string(name)); len(missing) == 0 {
			return errFound
		}
		return nil
	})
	switch {
	case errors.Is(err, errFound):
		return found, nil
	case err != nil:
		return found, err
	}
	return found, notFound(path, first, missing)
}

// notFound says which documents are not there, and what the names of those that are look like.
func notFound(path, first string, missing map[string][]int) error {
	if first == "" {
		return fmt.Errorf("there is no document in %s", path)
	}
	var names []string
	for name := range missing { // in no order: they are sorted below
		names = append(names, terminal.Printable(name, 60))
	}
	slices.Sort(names)
	return fmt.Errorf("there is no document %s in %s; documents are called by their ids (--id), or else by their numbers: the "+
		"first is %q", strings.Join(names, ", and no "), path, first)
}
