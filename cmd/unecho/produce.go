package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/internal/corpus"
)

func produceCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "produce FILE",
		Short: "Send the lines of a file to the source topic, each as one document",
		Long:  "Send the lines of FILE (- is standard input) to the source topic, each as one document. Empty lines are passed over.",
		Example: "  unecho produce articles.jsonl\n" +
			"  zcat articles.jsonl.gz | unecho produce -",
		Args: cmdline.Exactly("FILE"),
		RunE: func(cmd *cobra.Command, args []string) error { return produce(cmd, args[0]) },
	}
	addClientFlags(cmd)
	return cmd
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
	in, size, err := corpus.OpenLines(path)
	if err != nil {
		return exit.NotThere(err)
	}
	defer in.Close()
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
	p := terminal.NewProgress(cmd.ErrOrStderr(), size)
	err = corpus.EachLine(ctx, in, p.Add, func(line []byte) error {
		p.Documents++
		return writer.Write(ctx, nil, bytes.Clone(line))
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
