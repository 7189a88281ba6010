package release

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"io"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

func host() string { return runtime.GOOS + "_" + runtime.GOARCH }

// tarred are the files of a tar.gz, by path.
func tarred(t *testing.T, text string) map[string][]byte {
	t.Helper()
	unzipped, err := gzip.NewReader(strings.NewReader(text))
	check(t, err)
	files := map[string][]byte{}
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		check(t, err)
		content, err := io.ReadAll(r)
		check(t, err)
		files[h.Name] = content
	}
}

// zipped are the files of a zip, by path.
func zipped(t *testing.T, text string) map[string][]byte {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(text), int64(len(text)))
	check(t, err)
	files := map[string][]byte{}
	for _, f := range z.File {
		r, err := f.Open()
		check(t, err)
		files[f.Name], err = io.ReadAll(r)
		check(t, err)
		_ = r.Close() // a reader
	}
	return files
}

// debian are the files that a package of Debian installs. It is an ar archive: a line, then files, each with 60 bytes
// in front that hold its name and, at 48, its size; files begin at even places.
func debian(t *testing.T, text string) map[string][]byte {
	t.Helper()
	rest, ok := strings.CutPrefix(text, "!<arch>\n")
	for ok && len(rest) >= 60 {
		size, err := strconv.Atoi(strings.TrimSpace(rest[48:58]))
		check(t, err)
		name, content := strings.TrimSpace(rest[:16]), rest[60:60+size]
		if strings.TrimSuffix(name, "/") == "data.tar.gz" {
			return tarred(t, content)
		}
		rest = rest[60+size+size%2:]
	}
	t.Fatal("a package of Debian without data.tar.gz")
	return nil
}
