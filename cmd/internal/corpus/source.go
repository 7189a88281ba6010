package corpus

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Stdin is the path of standard input.
const Stdin = "-"

// Source is a file to read.
type Source struct {
	Path  string
	Whole bool // it is one document, unless its name says that it holds many
	Size  int64
}

// size returns the size of the file, which a list does not state; 0 if it has none or cannot be opened: opening it will
// report the error.
func (s *Source) size() int64 {
	if s.Size >= 0 {
		return s.Size
	}
	info, err := os.Stat(s.Path)
	if err != nil {
		return 0
	}
	return info.Size()
}

// Sources yields one source after another, and io.EOF at the end.
type Sources func() (Source, error)

// All reads them to the end.
func (next Sources) All() (all []Source, err error) {
	for {
		s, err := next()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
}

// Files returns the files named, and those of directories named, in the order of their names. Of a directory these are
// the files that one of the patterns includes; without patterns, the Parquet files, or if there are none, the .txt
// files. A file of a directory is one document, unless its name says that it holds many. All are checked before
// the first is read, so that a mistyped name costs nothing. total is their total size in bytes, or -1 if one has none,
// such as a pipe.
func Files(paths []string, include ...string) (sources Sources, total int64, err error) {
	for _, pattern := range include {
		if _, err := path.Match(pattern, ""); err != nil {
			return nil, 0, &MistakeError{fmt.Sprintf("--include %s: %v", pattern, err)}
		}
	}
	var all []Source
	for _, path := range paths {
		if all, err = appendSource(all, path, include); err != nil {
			return nil, 0, err
		}
	}
	for _, s := range all {
		if s.Size < 0 {
			total = -1
			break
		}
		total += s.Size
	}
	return Those(all), total, nil
}

// Those yields sources that are known.
func Those(all []Source) Sources {
	return func() (Source, error) {
		if len(all) == 0 {
			return Source{}, io.EOF
		}
		s := all[0]
		all = all[1:]
		return s, nil
	}
}

// Stat describes a file, or the one that standard input comes from.
func Stat(path string) (fs.FileInfo, error) {
	if path == Stdin {
		return os.Stdin.Stat()
	}
	return os.Stat(path)
}

// ErrWritten is returned for a source that is an output as well.
var ErrWritten = errors.New("it is also an output; name another file for the output")

// WouldWrite returns the error of a file that is to be read and is an output as well.
func WouldWrite(path string) error {
	if info, err := Stat(path); err == nil && info.Mode().IsRegular() && info.Size() == 0 {
		return fmt.Errorf("read %s: %w; it is empty: perhaps the shell has emptied it for standard output (>)",
			NameOf(path), ErrWritten)
	}
	return fmt.Errorf("read %s: %w", NameOf(path), ErrWritten)
}

// Except passes sources on, and ends with ErrWritten at one that is written as well. It calls written when the source
// is to be read.
func Except(sources Sources, written func(fs.FileInfo) bool) Sources {
	return func() (Source, error) {
		s, err := sources()
		if err != nil {
			return s, err
		}
		if info, err := Stat(s.Path); err == nil && written(info) { // opening it will report an error
			return s, WouldWrite(s.Path)
		}
		return s, nil
	}
}

func appendSource(all []Source, path string, include []string) ([]Source, error) {
	if path == Stdin {
		return append(all, Source{Path: path, Size: -1}), nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("open documents: %w", err)
	}
	if info.IsDir() {
		return appendDirectory(all, path, include)
	}
	size := info.Size()
	if !info.Mode().IsRegular() {
		size = -1
	}
	return append(all, Source{Path: path, Size: size}), nil
}

func appendDirectory(all []Source, dir string, include []string) ([]Source, error) {
	var tables, texts, included []Source
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		below, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		source := Source{Path: path, Whole: true, Size: info.Size()}
		switch format, _ := formatOf(path); {
		case includes(include, filepath.ToSlash(below)):
			included = append(included, source)
		case format == Parquet:
			tables = append(tables, source)
		case isText(path):
			texts = append(texts, source)
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, fmt.Errorf("open documents: %w", err)
	case len(include) > 0 && len(included) == 0:
		return nil, fmt.Errorf("open documents: %s holds no file that --include %s includes", dir, strings.Join(include, " or "))
	case len(include) > 0:
		return append(all, included...), nil
	case len(tables) > 0:
		return append(all, tables...), nil
	case len(texts) == 0:
		return nil, fmt.Errorf("open documents: %s holds no .txt or .parquet file; say which by --include '*.md', or name "+
			"files one by one, or with --files-from", dir)
	}
	return append(all, texts...), nil
}

// includes says whether a pattern matches a file of a directory: its name, or if the pattern has a slash, its path.
func includes(patterns []string, below string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		name := below
		if !strings.Contains(pattern, "/") {
			name = path.Base(below)
		}
		matched, err := path.Match(pattern, name)
		return err == nil && matched
	})
}

func isText(path string) bool {
	return filepath.Ext(unpackedName(strings.ToLower(path))) == ".txt"
}

// maxPath bounds a line of a list of files, in bytes.
const maxPath = 64 << 10

// Listed yields the files whose names are in a list, each before this byte: a line break, or 0, which is in no name. The
// list is read as the files are wanted. Each is one document, unless its name says that it holds many.
func Listed(list io.Reader, end byte) Sources {
	lines := bufio.NewScanner(list)
	lines.Buffer(nil, maxPath)
	if end != '\n' {
		lines.Split(func(data []byte, atEOF bool) (int, []byte, error) {
			if at := bytes.IndexByte(data, end); at >= 0 {
				return at + 1, data[:at], nil
			}
			if atEOF && len(data) > 0 {
				return len(data), data, nil
			}
			return 0, nil, nil
		})
	}
	return func() (Source, error) {
		for lines.Scan() {
			path := lines.Text()
			if end == '\n' {
				path = strings.TrimSuffix(path, "\r")
			}
			if path != "" {
				return Source{Path: path, Whole: true, Size: -1}, nil
			}
		}
		if errors.Is(lines.Err(), bufio.ErrTooLong) {
			return Source{}, fmt.Errorf("read the list of files: a line is longer than %d bytes; one name is expected on each, or with "+
				"-0 one before each byte of 0", maxPath)
		}
		if lines.Err() != nil {
			return Source{}, fmt.Errorf("read the list of files: %w", lines.Err())
		}
		return Source{}, io.EOF
	}
}
