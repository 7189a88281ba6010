package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/explain"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/internal/corpus"
)

func explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain A B",
		Short: "Say how similar two documents are, by each measure, and why they are duplicates or not",
		Long: "Say how similar two documents are, by each measure, what the service would decide if B came after A, why, and which\n" +
			"setting would have it decide otherwise. A document is a file (- is standard input), TOPIC/PARTITION/OFFSET of the cluster\nthat --config or --dir names, or else the text itself.",
		Example: "  unecho explain 'the cat sat in the hat' 'the cat sat on the mat' --shingle word:1\n" +
			"  unecho explain one.txt other.txt --json\n" +
			"  unecho explain --config unecho.yaml news/3/17 news/0/12",
		Args: cmdline.Exactly("A", "B"),
		RunE: func(cmd *cobra.Command, args []string) error { return runExplain(cmd, args) },
	}
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) { f.Bool("json", false, "all of it as one JSON object") })
	addEmbeddedFlag(cmd)
	cmdline.AddSettings(cmd, "similarity", "text", "document.max_bytes")
	return cmd
}

func runExplain(cmd *cobra.Command, args []string) (err error) {
	ctx, stop := exit.UntilSignal(cmd.Context(), cmd.ErrOrStderr())
	defer stop()
	defer exit.MarkInterrupted(ctx, &err)
	c, err := cmdline.Settings(cmd, config.Default())
	if err != nil {
		return err
	}
	var documents [2]explain.Input
	for i, arg := range args {
		if documents[i], err = documentOf(ctx, cmd, c, arg); err != nil {
			return err
		}
	}
	for i := range documents {
		if documents[i].Scope == 0 {
			documents[i].Scope = documents[1-i].Scope // only a record has one: a text may be of any
		}
	}
	x, err := explain.Explain(c.Judge, documents[0], documents[1])
	if err != nil {
		return err
	}
	if cmdline.Bool(cmd, "json") {
		return terminal.WriteJSON(cmd.OutOrStdout(), x)
	}
	return explain.WriteText(cmd.OutOrStdout(), c.Judge, x)
}

// documentOf returns the document that an argument names: a file, a record, or the text itself.
func documentOf(ctx context.Context, cmd *cobra.Command, c config.Config, arg string) (explain.Input, error) {
	if arg == corpus.Stdin {
		return readDocument(os.Stdin, c, "standard input")
	}
	if file, err := os.Open(arg); err == nil {
		in, err := readDocument(file, c, arg)
		return in, errors.Join(err, file.Close())
	} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENAMETOOLONG) && !strings.Contains(arg, " ") {
		return explain.Input{}, fmt.Errorf("read document: %w", err)
	}
	name, partition, offset, ok := corpus.Coordinates(arg)
	if !ok {
		if !strings.ContainsAny(arg, " \t\n") && strings.ContainsAny(arg, "./\\") {
			fmt.Fprintf(cmd.ErrOrStderr(), "unecho: there is no file %s: it is taken for a text\n", terminal.Printable(arg, terminal.LongLine))
		}
		return explain.Input{Text: []byte(arg)}, nil
	}
	records, err := newRecords(cmd, c)
	if err != nil {
		return explain.Input{}, fmt.Errorf("%s is taken as TOPIC/PARTITION/OFFSET; a text like that goes into a file: %w", arg, err)
	}
	record, err := topic.ReadAt(ctx, records.options, name, partition, offset)
	if err != nil {
		return explain.Input{}, err
	}
	read, bad, err := records.reader.Read(ctx, record)
	if err != nil {
		return explain.Input{}, err
	}
	if bad != nil {
		return explain.Input{}, fmt.Errorf("%s would be rejected: %s: %s", arg, bad.Reason, bad.Detail)
	}
	return explain.Input{Text: slices.Clone(read.Text), Scope: read.Scope}, nil
}

// readDocument reads as much as the service would accept, and not a byte more.
func readDocument(in io.Reader, c config.Config, name string) (explain.Input, error) {
	text, err := io.ReadAll(io.LimitReader(in, int64(c.Document.MaxBytes)+1))
	if err != nil {
		return explain.Input{}, fmt.Errorf("read document: %w", err)
	}
	if len(text) > int(c.Document.MaxBytes) {
		return explain.Input{}, fmt.Errorf("%s has more than %v: it would be rejected as too_large (document.max_bytes)", name, c.Document.MaxBytes)
	}
	return explain.Input{Text: bytes.ToValidUTF8(text, []byte("\ufffd"))}, nil
}
