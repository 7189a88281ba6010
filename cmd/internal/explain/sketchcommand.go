package explain

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
)

// SketchCommand is the verb sketch.
func SketchCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "sketch FILE...",
		Short: "Print the sketch and the band keys of each document, for scripts and for learning",
		Long: "Print a line for each document: its id, its sketch (the codes of a MinHash in hex, the bits of a SimHash) " +
			"and its band\n" +
			"keys in hex, separated by tabs. A document without text has neither.",
		Example: "  unecho sketch articles.jsonl\n" +
			"  echo 'one document' | unecho sketch - --slots 16\n" +
			"  unecho sketch --method simhash --bits 64 --distance 3 articles.jsonl",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runSketch(cmd, args) },
	}
	cmdline.AddFileFlags(cmd)
	cmdline.AddJSON(cmd, "an object on each line: id, sketch, keys, shingles")
	cmdline.AddSettings(cmd, "duplicates", "normalize", "advanced.max_document_bytes", "sources.reject", "sources.scope")
	return cmd
}

func runSketch(cmd *cobra.Command, args []string) error {
	return cmdline.RunFiles(cmd, args, config.Default(), SketchRules(), func(ctx context.Context, c config.Config) error {
		return writeSketches(ctx, cmd, args, c)
	})
}

func writeSketches(ctx context.Context, cmd *cobra.Command, args []string, c config.Config) (err error) {
	s, err := newSigner(c.Judge)
	if err != nil {
		return err
	}
	in, _, err := cmdline.OpenFiles(cmd, args, c, nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	out := bufio.NewWriter(cmd.OutOrStdout())
	write := sketched.writeText
	if cmdline.Bool(cmd, "json") {
		write = sketched.writeJSON
	}
	var name []byte
	err = corpus.Each(ctx, in, func(r *corpus.Record) error {
		if name = r.Name(name[:0], len(args) != 1); r.Bad != nil {
			_, err := fmt.Fprintf(cmd.ErrOrStderr(), "unecho: %s is passed over: %s: %s\n",
				terminal.Printable(string(name), terminal.LongLine), r.Bad.Reason,
				terminal.Printable(r.Bad.Detail, terminal.LongLine))
			return err
		}
		return write(s.sign(string(name), r.Text, r.Scope), out)
	})
	if errors.Is(err, context.Canceled) {
		err = errors.New("stopped before all documents were read; those so far are written")
	}
	if more := out.Flush(); !errors.Is(err, more) { // after an error of writing it is the same
		err = errors.Join(err, more)
	}
	return err
}

// SketchRules say when each flag of sketch decides something.
func SketchRules() []cmdline.Rule {
	return slices.Concat(cmdline.SettingRules(), cmdline.PairRules(), cmdline.JudgeRules(), cmdline.FileRules(), []cmdline.Rule{
		{Flags: "evidence max-candidates max-work", When: cmdline.Never, Why: "is about how documents are compared, and none are: leave it out"},
		{Flags: "json html"},
	})
}
