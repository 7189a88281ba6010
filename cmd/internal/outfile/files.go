package outfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
)

// Files are the files that a verb will write. Each is compared with those that the verb reads, before anything is
// written, so that nothing is lost by a name that was given twice.
type Files []target

type target struct {
	place string      // the file itself, where the path is a link to it; empty for standard output
	info  fs.FileInfo // nil if there is none yet
}

// Add adds the file that a flag names. Standard output, and anything that is no regular file, such as /dev/null, loses
// nothing by being written to.
func (w *Files) Add(flag, path string) error {
	if path == "" || path == corpus.Stdin {
		return nil
	}
	f, regular, err := writtenAt(path)
	switch {
	case err != nil:
		return fmt.Errorf("write --%s: %w", flag, err)
	case !regular:
		return nil
	case w.holds(f):
		return exit.Usage(fmt.Errorf("--%s %s: another output goes there as well", flag, path))
	}
	*w = append(*w, f)
	return nil
}

// Stdout adds the file that standard output goes to, if it is one. It has no place of its own: another output may name
// that file as /dev/stdout.
func (w *Files) Stdout(out io.Writer) {
	f, ok := out.(*os.File)
	if !ok {
		return
	}
	if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
		*w = append(*w, target{info: info})
	}
}

// Own adds an output that is open. Standard output is stdout.
func (w *Files) Own(path string, stdout io.Writer) error {
	if path == corpus.Stdin {
		w.Stdout(stdout)
		return nil
	}
	f, regular, err := writtenAt(path)
	if err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	if regular {
		*w = append(*w, f)
	}
	return nil
}

func writtenAt(path string) (f target, regular bool, err error) {
	if f.place, err = followed(path); err != nil {
		return f, false, err
	}
	info, err := os.Stat(f.place)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, true, nil
	case err != nil:
		return f, false, err
	case info.IsDir():
		return f, false, &fs.PathError{Op: "open", Path: path, Err: errors.New("it is a directory; name a file")}
	}
	f.info = info
	return f, info.Mode().IsRegular(), nil
}

// mostLinks is how many links are followed in a row.
const mostLinks = 40

// followed returns where a path leads if it is a link, even if nothing is there yet.
func followed(path string) (string, error) {
	for range mostLinks {
		to, err := os.Readlink(path)
		if err != nil { // no link
			break
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		path = to
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if problem := (*fs.PathError)(nil); errors.As(err, &problem) {
		return "", &fs.PathError{Op: "open", Path: path, Err: problem.Err} // the user's path, not a part of it
	}
	if err != nil {
		return "", err
	}
	dir, err = filepath.Abs(dir)
	return filepath.Join(dir, filepath.Base(path)), err
}

func (w Files) holds(f target) bool {
	for _, other := range w {
		if f.place == other.place || f.info != nil && other.info != nil && os.SameFile(f.info, other.info) {
			return true
		}
	}
	return false
}

// Has says whether an existing file is one of them.
func (w Files) Has(info fs.FileInfo) bool {
	for _, f := range w {
		if f.info != nil && os.SameFile(f.info, info) {
			return true
		}
	}
	return false
}

// any says whether one of them exists already. The shell has made or emptied the file of standard output, unless it
// appends to it.
func (w Files) any() bool {
	for _, f := range w {
		if f.info != nil && (f.place != "" || f.info.Size() > 0) {
			return true
		}
	}
	return false
}

// SpareFiles returns an error if one of the files that are read, as far as they exist, would be written; empty paths
// are skipped.
func (w Files) SpareFiles(paths ...string) error {
	for _, path := range paths {
		if info, err := corpus.Stat(path); err == nil && w.Has(info) {
			return exit.Usage(corpus.WouldWrite(path))
		}
	}
	return nil
}

// Sources returns the files of a list, or those named, none of which may be written. size is their total size in bytes,
// or -1.
func (w Files) Sources(named Named) (sources corpus.Sources, size int64, err error) {
	if sources, size, err = named.sources(); err != nil {
		return nil, 0, err
	}
	if err := w.SpareFiles(named.List); err != nil {
		return nil, 0, err
	}
	sources, err = w.spare(sources)
	return sources, size, err
}

// spare returns an error if a source would be written. If there is something to lose, it checks all sources before the
// first is read. A list is then read to its end first. Else each is checked when its turn comes.
func (w Files) spare(sources corpus.Sources) (corpus.Sources, error) {
	checked := corpus.Except(sources, w.Has)
	if !w.any() {
		return checked, nil
	}
	all, err := checked.All()
	if errors.Is(err, corpus.ErrWritten) {
		err = exit.Usage(err)
	}
	return corpus.Those(all), err
}

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
