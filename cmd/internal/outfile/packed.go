package outfile

import (
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// packer compresses what is written to it; closing it ends what is compressed.
type packer interface {
	io.WriteCloser
	Flush() error
}

// newPacker returns what compresses a file of this name: by gzip if it ends in .gz, by zstd in .zst; else nil.
func newPacker(path string, out io.Writer) (packer, error) {
	name := strings.ToLower(path)
	for _, packed := range []string{".gz", ".zst", ".zstd", ".xz", ".bz2"} {
		if inner, ok := strings.CutSuffix(name, packed); ok && IsTable(inner) {
			return nil, fmt.Errorf("write %s: a Parquet file compresses its columns itself: name it .parquet", path)
		}
	}
	switch {
	case strings.HasSuffix(name, ".gz"):
		return gzip.NewWriter(out), nil
	case strings.HasSuffix(name, ".zst"), strings.HasSuffix(name, ".zstd"):
		return zstd.NewWriter(out, zstd.WithEncoderConcurrency(1))
	case strings.HasSuffix(name, ".xz"), strings.HasSuffix(name, ".bz2"):
		return nil, fmt.Errorf("write %s: outputs are compressed by gzip or zstd: name it .gz or .zst", path)
	}
	return nil, nil // it is not compressed
}
