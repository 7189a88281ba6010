package explain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/setting"
)

// Opener opens the documents that are named at a terminal.
type Opener struct {
	MaxBytes int64 // as the service has it: what is larger is refused
	Stdin    io.Reader
	Records  func() (topic.Options, *corpus.TopicReader, error) // reaches Kafka
}

// Document returns the document that an argument names: a file, a record, or the text itself.
func (o *Opener) Document(ctx context.Context, arg string) (Input, error) {
	if arg == corpus.Stdin {
		return o.read(o.Stdin, "standard input")
	}
	if file, err := os.Open(arg); err == nil {
		in, err := o.read(file, arg)
		return in, errors.Join(err, file.Close())
	} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENAMETOOLONG) && !strings.Contains(arg, " ") {
		return Input{}, fmt.Errorf("read document: %w", err)
	}
	name, partition, offset, ok := corpus.Coordinates(arg)
	if !ok {
		at, placed := parseFileRow(arg)
		if placed && isFile(at.file) {
			return Input{}, exit.Usage(fmt.Errorf("%s is a document of %s, with which another of a file can be compared: name that by "+
				"FILE:NUMBER as well, or the file by --in", terminal.Printable(arg, terminal.LongLine), at.file))
		}
		if cmdline.LooksLikeFile(arg) || placed && cmdline.LooksLikeFile(at.file) {
			return Input{}, exit.Usage(fmt.Errorf("there is no file %s: check its name; a text that looks like one goes into a file, or "+
				"comes from standard input (-)", terminal.Printable(arg, terminal.LongLine)))
		}
		return Input{Text: []byte(arg)}, nil
	}
	options, reader, err := o.Records()
	if err != nil {
		return Input{}, fmt.Errorf("%s is taken as TOPIC/PARTITION/OFFSET; a text like that goes into a file: %w", arg, err)
	}
	record, err := topic.ReadAt(ctx, options, name, partition, offset)
	if err != nil {
		return Input{}, err
	}
	read, bad, err := reader.Read(ctx, record)
	if err != nil {
		return Input{}, err
	}
	if bad != nil {
		return Input{}, fmt.Errorf("%s would be rejected: %s: %s", arg, bad.Reason, bad.Detail)
	}
	return Input{Text: slices.Clone(read.Text), Scope: read.Scope}, nil
}

// read reads as much as the service would accept, and not a byte more.
func (o *Opener) read(in io.Reader, name string) (Input, error) {
	text, err := io.ReadAll(io.LimitReader(in, o.MaxBytes+1))
	if err != nil {
		return Input{}, fmt.Errorf("read document: %w", err)
	}
	if int64(len(text)) > o.MaxBytes {
		return Input{}, fmt.Errorf("%s has more than %v: it would be rejected as too_large (--max-document-bytes)", name,
			setting.Bytes(o.MaxBytes))
	}
	return Input{Text: text}, nil
}
