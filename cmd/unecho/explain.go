package main

import (
	"os"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/explain"
	"github.com/unecho/unecho/cmd/internal/named"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/internal/corpus"
)

func explainCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain A B",
		Short: "Say how similar two documents are, by each measure, and why they are duplicates or not",
		Long: "Say how similar two documents are, by each measure, what the service would decide if B came after A, why, " +
			"and which\n" +
			"setting would have it decide otherwise. A document is a file (- is standard input), TOPIC/PARTITION/OFFSET of the cluster\nthat --config or --dir names, or else the text itself.",
		Example: "  unecho explain 'the cat sat in the hat' 'the cat sat on the mat' --shingle word:1\n" +
			"  unecho explain one.txt other.txt --json\n" +
			"  unecho explain --config unecho.yaml news/3/17 news/0/12",
		Args: cmdline.Exactly("A", "B"),
		RunE: func(cmd *cobra.Command, args []string) error { return runExplain(cmd, args) },
	}
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) { f.Bool("json", false, "all of it as one JSON object") })
	named.AddEmbeddedFlag(cmd)
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
	if err := sparesStdout(cmd, args...); err != nil {
		return err
	}
	open := explain.Opener{
		MaxBytes: int64(c.Document.MaxBytes), Stdin: os.Stdin, Notes: cmd.ErrOrStderr(),
		Records: func() (topic.Options, *corpus.TopicReader, error) { return named.Records(cmd, c) },
	}
	var documents [2]explain.Input
	for i, arg := range args {
		if documents[i], err = open.Document(ctx, arg); err != nil {
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
