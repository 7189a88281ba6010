package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"golang.org/x/time/rate"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/internal/corpus"
	"github.com/unecho/unecho/internal/feed"
)

func produceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "produce FILE|--feed N",
		Short: "Send the lines of a file to the source topic, each as one document",
		Long: "Send the lines of FILE (- is standard input) to the source topic, each as one document. Empty lines are passed over.\n" +
			"--feed sends articles of the demo instead: JSON objects with id, title and text, about a third of them copies.",
		Example: "  unecho produce articles.jsonl\n" +
			"  zcat articles.jsonl.gz | unecho produce -\n" +
			"  unecho produce --feed 100000 --pace 50",
		Args: cmdline.AtMost(1, "FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return produce(cmd, args) },
	}
	addClientFlags(cmd)
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Int("feed", 0, "send so many articles of the demo, in place of a file")
		f.Uint64("seed", feed.DefaultParams().Seed, "of --feed: the same seed gives the same articles")
		f.Float64("pace", 0, "documents a second; 0 is full speed")
	})
	return cmd
}

// documents are what is sent.
type documents struct {
	size int64 // bytes; -1: not known
	// each calls send with each document, and read with the bytes that were read.
	each  func(ctx context.Context, read func(int), send func([]byte) error) error
	close func() error
}

// documentsOf opens the documents that the command line names.
func documentsOf(cmd *cobra.Command, args []string) (documents, error) {
	var wrong []error
	p := feed.DefaultParams()
	p.Documents, p.Seed = cmdline.Gather(cmd.Flags().GetInt("feed"))(&wrong), cmdline.Gather(cmd.Flags().GetUint64("seed"))(&wrong)
	if err := errors.Join(wrong...); err != nil {
		return documents{}, err
	}
	if (len(args) == 1) == (p.Documents != 0) {
		return documents{}, exit.Usage(errors.New("name what is sent: FILE, or --feed N"))
	}
	if len(args) == 1 {
		in, size, err := corpus.OpenLines(args[0])
		if err != nil {
			return documents{}, exit.NotThere(err)
		}
		each := func(ctx context.Context, read func(int), send func([]byte) error) error {
			return corpus.EachLine(ctx, in, read, send)
		}
		return documents{size, each, in.Close}, nil
	}
	articles, err := feed.New(p)
	if err != nil {
		return documents{}, exit.Usage(err)
	}
	each := func(ctx context.Context, _ func(int), send func([]byte) error) error {
		for doc, more := articles.Next(); more && ctx.Err() == nil; doc, more = articles.Next() {
			if err := send(doc.Value()); err != nil {
				return err
			}
		}
		return ctx.Err()
	}
	return documents{-1, each, func() error { return nil }}, nil
}

func produce(cmd *cobra.Command, args []string) (err error) {
	ctx, stop := exit.UntilSignal(cmd.Context(), cmd.ErrOrStderr())
	defer stop()
	defer exit.MarkInterrupted(ctx, &err)
	docs, err := documentsOf(cmd, args)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, docs.close()) }()
	c, source, err := clientConfig(cmd)
	if err != nil {
		return err
	}
	logger, err := clientLogger(cmd, c)
	if err != nil {
		return err
	}
	pace, err := cmd.Flags().GetFloat64("pace")
	if err != nil || pace < 0 {
		return exit.Usage(errors.Join(err, errors.New("--pace is at least 0")))
	}
	opts, err := broker.Options(c.Kafka, logger)
	if err != nil {
		return err
	}
	if err := topic.Reach(ctx, opts, source); err != nil {
		return err
	}
	writer, err := topic.NewWriter(ctx, opts, source)
	if err != nil {
		return err
	}
	defer writer.Close()
	p := terminal.NewProgress(cmd.ErrOrStderr(), docs.size)
	limit := rate.NewLimiter(rate.Inf, 1)
	if pace > 0 {
		limit.SetLimit(rate.Limit(pace))
	}
	err = docs.each(ctx, p.Add, func(document []byte) error {
		if err := limit.Wait(ctx); err != nil {
			return err
		}
		p.Documents++
		return writer.Write(ctx, nil, bytes.Clone(document))
	})
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
