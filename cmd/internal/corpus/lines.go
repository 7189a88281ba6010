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
	if path == Stdin {
		return io.NopCloser(os.Stdin), -1, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, fmt.Errorf("open documents: %w", err)
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a directory: name a file of lines", path)
	}
	if err != nil {
		return nil, 0, errors.Join(fmt.Errorf("open documents: %w", err), f.Close())
	}
	size := info.Size()
	if !info.Mode().IsRegular() {
		size = -1
	}
	return f, size, nil
}

// EachLine calls visit with each line that is not blank, without its end, and its number, and read with the bytes of each
// line. The line is valid until visit returns.
func EachLine(ctx context.Context, in io.Reader, read func(bytes int), visit func(number int, line []byte) error) error {
	buffered := bufio.NewReader(in)
	if first, _ := buffered.Peek(len(mark)); string(first) == mark {
		_, _ = buffered.Discard(len(mark)) // it was peeked at, so it is there
	}
	lines, number := bufio.NewScanner(buffered), 0
	lines.Buffer(make([]byte, 64<<10), MaxRecord)
	for lines.Scan() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		number++
		read(len(lines.Bytes()) + 1)
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := visit(number, lines.Bytes()); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("read line %d: %w: it has more than %d MiB, and each line must be one document", number+1, lines.Err(), MaxRecord>>20)
	}
	if lines.Err() != nil {
		return fmt.Errorf("read line %d: %w", number+1, lines.Err())
	}
	return nil
}
