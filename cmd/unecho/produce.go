package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/topic"
)

func produceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "produce FILE",
		Short: "Send the lines of a file to the source topic, each as one document",
		Long:  "Send the lines of FILE (- is standard input) to the source topic, each as one document. Empty lines are passed over.",
		Example: "  unecho produce articles.jsonl\n" +
			"  zcat articles.jsonl.gz | unecho produce -",
		Args: exactly("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return produce(cmd, args[0]) },
	}
	addClientFlags(cmd)
	return cmd
}

// exactly takes as many arguments as there are names.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == len(names) {
			return nil
		}
		return exit.Usage(fmt.Errorf("%s takes %s, as in `%s`; see `%s --help`", cmd.CommandPath(), strings.Join(names, " and "), cmd.UseLine(), cmd.CommandPath()))
	}
}

func produce(cmd *cobra.Command, path string) (err error) {
	ctx, stop := exit.UntilSignal(cmd.Context(), cmd.ErrOrStderr())
	defer stop()
	defer exit.MarkInterrupted(ctx, &err)
	c, source, err := clientConfig(cmd)
	if err != nil {
		return err
	}
	logger, err := clientLogger(cmd, c)
	if err != nil {
		return err
	}
	in, size, err := openInput(path)
	if err != nil {
		return err
	}
	defer in.Close()
	opts, err := broker.Options(c.Kafka, logger)
	if err != nil {
		return err
	}
	if err := topic.Reach(ctx, opts, source); err != nil {
		return err
	}
	writer, err := topic.NewWriter(opts, source)
	if err != nil {
		return err
	}
	defer writer.Close()
	p := terminal.NewProgress(cmd.ErrOrStderr(), size)
	err = sendLines(ctx, in, writer, p)
	stopped := errors.Is(err, context.Canceled)
	if flushed := writer.Flush(context.WithoutCancel(ctx)); err == nil || stopped {
		err = flushed
	}
	p.End()
	if err != nil {
		return err
	}
	if _, err = fmt.Fprintf(cmd.OutOrStdout(), "sent %d documents to %s\n", p.Documents, source); err == nil && stopped {
		err = errors.New("stopped before all documents were sent")
	}
	return err
}

// openInput opens a file and tells its size, or -1 where that is unknown.
func openInput(path string) (io.ReadCloser, int64, error) {
	if path == "-" {
		return io.NopCloser(os.Stdin), -1, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, exit.NotThere(fmt.Errorf("open documents: %w", err))
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

// maxLine bounds a line: what is longer is no file of documents.
const maxLine = 64 << 20

func sendLines(ctx context.Context, in io.Reader, w *topic.Writer, p *terminal.Progress) error {
	buffered := bufio.NewReader(in)
	if mark, _ := buffered.Peek(3); string(mark) == "\ufeff" {
		_, _ = buffered.Discard(3) // it was peeked at, so it is there
	}
	lines := bufio.NewScanner(buffered)
	lines.Buffer(make([]byte, 64<<10), maxLine)
	for lines.Scan() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		line := bytes.TrimSuffix(lines.Bytes(), []byte("\r"))
		p.Add(len(lines.Bytes()) + 1)
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		p.Documents++
		if err := w.Write(ctx, nil, bytes.Clone(line)); err != nil {
			return err
		}
	}
	if errors.Is(lines.Err(), bufio.ErrTooLong) {
		return fmt.Errorf("line after document %d is longer than 64 MiB: each line must be one document", p.Documents)
	}
	return lines.Err()
}
