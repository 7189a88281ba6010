package corpus

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// OpenLines opens a file and returns its size in bytes, or -1 if that is unknown.
func OpenLines(path string) (io.ReadCloser, int64, error) {
	if path == "-" {
		return io.NopCloser(os.Stdin), -1, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("open documents: %w", err)
	}
	info, err := f.Stat()
	if err != nil || info.IsDir() {
		return nil, 0, errors.Join(fmt.Errorf("open documents: %s is no file of lines", path), err, f.Close())
	}
	size := info.Size()
	if !info.Mode().IsRegular() {
		size = -1
	}
	return f, size, nil
}

// maxLine bounds a line in bytes. A file with a longer line is not taken for a file of documents.
const maxLine = 64 << 20

// EachLine calls visit with each line that is not blank, without its end, and read with the bytes of each line.
func EachLine(ctx context.Context, in io.Reader, read func(bytes int), visit func(line []byte) error) error {
	buffered := bufio.NewReader(in)
	if mark, _ := buffered.Peek(3); string(mark) == "\ufeff" {
		_, _ = buffered.Discard(3) // it was peeked at, so it is there
	}
	lines, visited := bufio.NewScanner(buffered), 0
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for lines.Scan() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		line := bytes.TrimSuffix(lines.Bytes(), []byte("\r"))
		read(len(lines.Bytes()) + 1)
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		visited++
		if err := visit(line); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line after document %d is longer than 64 MiB: each line must be one document", visited)
	}
	return lines.Err()
}
