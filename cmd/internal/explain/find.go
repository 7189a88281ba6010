package explain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// errFound ends the reading of documents once all are found.
var errFound = errors.New("found")

// Find returns two documents of files, as `unecho dedup` judges them: the first is the one that comes first. Documents are
// called by their ids, or else by their numbers, or by FILE:NUMBER. The first of a name is taken, and what comes behind both is
// not read.
func Find(ctx context.Context, p index.Params, in *corpus.Reader, paths []string, names [2]string) (found [2]Input, err error) {
	f, err := newFinder(p, names)
	if err != nil {
		return found, fmt.Errorf("explain: %w", err)
	}
	err = corpus.Each(ctx, in, f.add)
	switch {
	case errors.Is(err, errFound):
	case err != nil:
		return found, err
	case len(f.missing) > 0:
		return found, notFound(strings.Join(paths, ", "), f.first, f.missing)
	}
	if names[0] == names[1] { // what became of it says nothing of a copy
		return [2]Input{{Text: f.found[0].Text, Scope: f.found[0].Scope}, {Text: f.found[0].Text, Scope: f.found[0].Scope}}, nil
	}
	return [2]Input(f.found), nil
}

// finder looks for documents, and judges all until they are found.
type finder struct {
	judge   *judge
	signer  *index.Signer
	missing map[string]bool
	places  map[string]fileRow // of those that may be called by it
	found   []Input
	first   string // name of the first document
	name    []byte
}

func newFinder(p index.Params, names [2]string) (*finder, error) {
	j, err := newJudge(p)
	if err != nil {
		return nil, err
	}
	signer, err := index.NewSigner(p)
	f := &finder{judge: j, signer: signer, missing: map[string]bool{names[0]: true, names[1]: true}, places: map[string]fileRow{}}
	for _, name := range names {
		if at, ok := parseFileRow(name); ok {
			f.places[name] = at
		}
	}
	return f, err
}

type fileRow struct {
	file string
	row  int
}

// parseFileRow reads FILE:NUMBER.
func parseFileRow(name string) (at fileRow, ok bool) {
	colon := strings.LastIndexByte(name, ':')
	if colon < 1 {
		return at, false
	}
	row, err := strconv.Atoi(name[colon+1:])
	return fileRow{name[:colon], row}, err == nil && row > 0
}

// FilesOf returns the files of two documents that are called by FILE:NUMBER, in their order; none unless both are.
func FilesOf(names [2]string) (files []string) {
	for _, name := range names {
		at, ok := parseFileRow(name)
		if !ok || !isFile(at.file) || isFile(name) {
			return nil
		}
		if !slices.Contains(files, at.file) {
			files = append(files, at.file)
		}
	}
	return files
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// called returns the name by which a record is looked for, if it is.
func (f *finder) called(r *corpus.Record) (name string, wanted bool) {
	name = string(f.name)
	if f.missing[name] {
		return name, true
	}
	if number := strconv.Itoa(r.Number); len(r.ID) == 0 && f.missing[number] { // it is enough in one file
		return number, true
	}
	for other, at := range f.places { // in no order: at most one is of the record
		if f.missing[other] && at == (fileRow{r.File, r.Number}) {
			return other, true
		}
	}
	return name, false
}

// add judges the next document. It returns errFound after the last that is looked for.
func (f *finder) add(r *corpus.Record) error {
	if r.Bad != nil && (r.Bad.Reason == corpus.Unreadable || r.Bad.Reason == corpus.Unrecognised) {
		return r.Refused(r.Bad)
	}
	f.name = r.Name(f.name[:0], false)
	if f.first == "" {
		f.first = string(f.name)
	}
	name, wanted := f.called(r)
	if r.Bad != nil && wanted {
		return fmt.Errorf("%s would be rejected: %s: %s", name, r.Bad.Reason, r.Bad.Detail)
	}
	e := entry.Entry{Scope: r.Scope}
	f.signer.Reset()
	if r.Bad != nil || !f.signer.Sign(&e, r.Text) && !wanted { // one that is wanted is refused where it is explained
		return nil
	}
	judged, err := f.judge.add(name, e)
	if err != nil || !wanted {
		return err
	}
	f.found = append(f.found, Input{Text: slices.Clone(r.Text), Scope: r.Scope, Judged: &judged})
	if delete(f.missing, name); len(f.missing) == 0 {
		return errFound
	}
	return nil
}

// notFound says which documents are not there, and what the names of those that are look like.
func notFound(path, first string, missing map[string]bool) error {
	if first == "" {
		return fmt.Errorf("there is no document in %s", path)
	}
	var names []string
	for name := range missing { // in no order: they are sorted below
		names = append(names, terminal.Printable(name, 60))
	}
	slices.Sort(names)
	return fmt.Errorf("there is no document %s in %s; documents are called by their ids (--id), or else by their numbers, or by "+
		"FILE:NUMBER: the first is %q", strings.Join(names, ", and no "), path, first)
}
