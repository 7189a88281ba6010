package corpus

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync/atomic"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"
)

// input is an open file, decompressed as it is read.
type input struct {
	*bufio.Reader
	file   *os.File
	marked bool            // it began with a byte order mark, which was read
	raw    []*bufio.Reader // what is read of the file passes through these, in this order
	packed bool            // it is compressed
	end    func()          // ends the decompression
}

// mark is the byte order mark that some systems write at the beginning of a file.
const mark = "\ufeff"

const (
	peekBytes   = 4 << 10   // buffer to look at the beginning (headBytes at least); larger reads go past it
	packedBytes = 128 << 10 // how much is read of a compressed file at once
)

// windowBytes bounds the window that a zstd or xz file may ask for. It is what zstd itself decompresses by default.
const windowBytes = 128 << 20

// openInput opens a file, or standard input, and counts the bytes that are read of it, as they are on the disk. It reads
// through a buffer of peekBytes.
func openInput(path string, count *atomic.Int64, buffer *bufio.Reader) (*input, error) {
	file := os.Stdin
	if path != Stdin {
		var err error
		if file, err = openFile(path); err != nil {
			return nil, err
		}
	}
	buffer.Reset(counter{file, count})
	in := &input{Reader: buffer, file: file, end: func() {}}
	magic, _ := in.Peek(len(xzMagic)) // an error comes again when it is read
	in.raw = []*bufio.Reader{in.Reader}
	if isPacked(magic) {
		in.raw = append(in.raw, bufio.NewReaderSize(in.Reader, packedBytes))
		unpacked, err := unpack(in.raw[1], magic)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("unpack: %w", err), in.close())
		}
		in.packed = true
		in.Reader, in.end = bufio.NewReaderSize(unpacked, peekBytes), unpacked.end
	}
	if first, _ := in.Peek(len(mark)); string(first) == mark {
		_, _ = in.Discard(len(mark)) // it was peeked at, so it is there
		in.marked = true
	}
	return in, nil
}

// ahead returns how many bytes were read of the file and not used yet.
func (in *input) ahead() (n int) {
	for _, buffer := range in.raw {
		n += buffer.Buffered()
	}
	return n
}

// openFile opens a file that is no directory. The error does not name it.
func openFile(path string) (*os.File, error) {
	file, err := os.Open(path)
	if problem := (*fs.PathError)(nil); errors.As(err, &problem) {
		return nil, fmt.Errorf("open: %w", problem.Err)
	}
	if err != nil {
		return nil, err
	}
	if info, err := file.Stat(); err == nil && info.IsDir() {
		return nil, errors.Join(errors.New("it is a directory: name its files, or the directory on the command line"), file.Close())
	}
	return file, nil
}

func (in *input) close() error {
	in.end()
	if in.file == os.Stdin {
		return nil
	}
	return in.file.Close()
}

// unpacked reads decompressed data; end releases its memory.
type unpacked struct {
	io.Reader
	end func()
}

const (
	gzipMagic = "\x1f\x8b"
	zstdMagic = "\x28\xb5\x2f\xfd"
	skipMagic = "\x2a\x4d\x18" // of a frame of zstd that is skipped, behind a byte of 0x50 to 0x5f; pzstd begins with one
	xzMagic   = "\xfd7zXZ\x00"
)

func isPacked(magic []byte) bool {
	return bytes.HasPrefix(magic, []byte(gzipMagic)) || isZstd(magic) || bytes.HasPrefix(magic, []byte(xzMagic))
}

func isZstd(magic []byte) bool {
	skips := len(magic) > 0 && magic[0]&0xf0 == 0x50 && bytes.HasPrefix(magic[1:], []byte(skipMagic))
	return skips || bytes.HasPrefix(magic, []byte(zstdMagic))
}

// unpack decompresses in, whose first bytes show how it is compressed.
func unpack(in io.Reader, magic []byte) (out unpacked, err error) {
	out.end = func() {}
	switch {
	case bytes.HasPrefix(magic, []byte(gzipMagic)):
		out.Reader, err = gzip.NewReader(in)
	case isZstd(magic):
		var r *zstd.Decoder
		if r, err = zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(windowBytes)); err == nil {
			out = unpacked{r, r.Close}
		}
	default:
		out.Reader, err = xz.NewReader(in, windowBytes)
	}
	return out, err
}

func damaged(err error) error {
	if errors.Is(err, zstd.ErrWindowSizeExceeded) {
		return fmt.Errorf("it was compressed with a window of more than %d MiB, as by zstd --long=28 and more, "+
			"and would take as much memory: unpack it by zstd -d --long=31, or pipe it through zstdcat --long=31", windowBytes>>20)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("the compressed file ends early (%w): it was cut off, or is still being written", err)
	}
	if errors.Is(err, xz.ErrBuf) { // it waits for more
		return fmt.Errorf("the compressed file ends early (%w): it was cut off, or is still being written", io.ErrUnexpectedEOF)
	}
	if errors.Is(err, gzip.ErrChecksum) || errors.Is(err, gzip.ErrHeader) || errors.Is(err, zstd.ErrCRCMismatch) ||
		errors.Is(err, zstd.ErrMagicMismatch) || errors.Is(err, xz.ErrData) || errors.Is(err, xz.ErrFormat) {
		return fmt.Errorf("the compressed file is damaged: %w", err)
	}
	return err
}

type counter struct {
	in    io.Reader
	count *atomic.Int64
}

func (c counter) Read(p []byte) (int, error) {
	n, err := c.in.Read(p)
	c.count.Add(int64(n))
	return n, err
}

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
