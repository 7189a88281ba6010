package tune

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/ignore"
	"github.com/unecho/unecho/index/setting"
)

// CommonCommand is the verb common.
func CommonCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "common FILE... | --topic TOPIC",
		Short: "Write the passages that many documents have, for duplicates.ignore",
		Long: "Write the passages that stand in more than a share of the documents, such as templates and disclaimers, for\n" +
			"duplicates.ignore (--ignore of dedup, eval, tune and explain), which leaves their shingles out. Identical documents count\n" +
			"once, and a passage stands in 10 documents at least. The list serves for the shingle and the normal form by which it was\n" +
			"made. Look through it, and delete the lines that are to count; what stands in another line, too, still does not. `unecho\n" +
			"tune --pairs` says what it does to precision and recall.",
		Example: "  unecho common ads.jsonl -o common.txt\n" +
			"  unecho common --share 0.2 --shingle char:5 ads.jsonl -o common.txt\n" +
			"  unecho common --config unecho.yaml --topic news --from 24h -o common.txt",
		Args: cobra.ArbitraryArgs,
		RunE: runCommon,
	}
	cmdline.AddFileFlags(cmd)
	addSampleFlags(cmd)
	cmdline.Add(cmd, cmdline.Similarity, func(f cmdline.Flags) {
		f.Float64("share", 0.05, "write what stands in more than this share of the documents")
	})
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.TextP("output", "o", "file", "-", "write the list here; - is standard output")
	})
	cmdline.AddJSON(cmd, "the summary as one JSON object")
	cmdline.AddSettings(cmd, "duplicates.shingle", "normalize", "advanced.max_document_bytes", "sources.reject")
	return cmd
}

// CommonRules say when each flag decides something.
func CommonRules() []cmdline.Rule {
	return slices.Concat(sampleRules(), []cmdline.Rule{
		{Flags: "share output json html"},
	}, cmdline.SettingRules(), cmdline.FileRules())
}

func runCommon(cmd *cobra.Command, args []string) error {
	// A list that the configuration names is to be made again: it may be of other settings, or not be there.
	if err := cmd.Flags().Set("set", index.IgnoreKey+"="); err != nil {
		return err
	}
	return cmdline.RunFiles(cmd, args, config.Default(), CommonRules(), func(ctx context.Context, c config.Config) error {
		finder, err := finderOf(cmd, c)
		if err != nil {
			return err
		}
		out := outfile.Single{Flag: "output", Path: cmdline.Text(cmd, "output"), Stdout: cmd.OutOrStdout()}
		texts, err := readTexts(ctx, cmd, args, c, out)
		if err != nil {
			return err
		}
		found, err := find(ctx, cmd, finder, texts)
		if err != nil {
			return err
		}
		file, err := found.list.Append(nil, c.Judge)
		if err = errors.Join(err, readable(file)); err != nil {
			return err
		}
		err = out.Write(func(w io.Writer) error {
			_, err := w.Write(file)
			return err
		})
		if err != nil {
			return err
		}
		return cmdline.Summarise(cmd, found)
	})
}

// readable returns an error if a list has more bytes than are read of one.
func readable(file []byte) error {
	if len(file) <= ignore.MaxBytes {
		return nil
	}
	return fmt.Errorf("the list has %v, and at most %v of one are read: nothing is written; raise --share", setting.Bytes(len(file)),
		setting.Bytes(ignore.MaxBytes))
}

func finderOf(cmd *cobra.Command, c config.Config) (*ignore.Finder, error) {
	share := cmdline.Float(cmd, "share")
	if !(share > 0 && share < 1) {
		return nil, exit.Usage(fmt.Errorf("--share %v: write a number between 0 and 1, such as 0.05", share))
	}
	finder, err := ignore.NewFinder(c.Judge, share)
	if err != nil {
		return nil, exit.Usage(err)
	}
	return finder, nil
}

// readTexts reads the documents, once it is known that the output can be written.
func readTexts(ctx context.Context, cmd *cobra.Command, args []string, c config.Config, out outfile.Single) ([][]byte, error) {
	var files outfile.Files
	if !out.OnStdout() {
		var err error
		if files, err = cmdline.WrittenBy(cmd, "output"); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(files.SpareFiles(cmdline.ConfigFile(cmd)), out.Ready(cmdline.Bool(cmd, "json"))); err != nil {
		return nil, err
	}
	p, err := sampling(cmd)
	if err != nil {
		return nil, err
	}
	sampler := NewSampler(p)
	if err := fillSample(ctx, cmd, args, c, files, sampler); err != nil {
		return nil, err
	}
	return sampler.Texts(cmd.ErrOrStderr())
}

// find gives the documents to the finder, three times.
func find(ctx context.Context, cmd *cobra.Command, finder *ignore.Finder, texts [][]byte) (Common, error) {
	bar := terminal.NewStages(cmd.ErrOrStderr())
	defer bar.End()
	sample := 0
	for _, text := range texts {
		sample += len(text)
	}
	finder.Expect(sample)
	for pass, take := range []func([]byte){finder.Guess, finder.Count, finder.Collect} {
		for i, text := range texts {
			if ctx.Err() != nil {
				return Common{}, cmdline.ErrUnread
			}
			bar.Stage("documents", int64(pass*len(texts)+i), int64(3*len(texts)))
			take(text)
		}
	}
	list, left, lost := finder.List()
	found := Common{
		Documents: list.Documents, Share: list.Share, Passages: len(list.Passages), Lost: lost,
		LeftOut: float64(left.Ignored) / float64(max(1, left.Shingles)), Whole: left.Whole, list: list,
	}
	if len(list.Passages) == 0 {
		return found, fmt.Errorf("nothing stands in more than %s of %s that differ, and in %d at least: nothing is written; lower --share, or take more documents",
			percent(list.Share), terminal.Several(list.Documents, "document"), ignore.Least)
	}
	return found, nil
}

// Common is the summary of `unecho common`.
type Common struct {
	Documents int     `json:"documents"` // that differ
	Share     float64 `json:"share"`
	Passages  int     `json:"passages"`
	LeftOut   float64 `json:"left_out"`       // share of the shingles of the sample
	Whole     int     `json:"whole"`          // documents that have nothing else
	Lost      int     `json:"lost,omitempty"` // shingles that are common, and can be no line

	list ignore.List
}

// Text is for people.
func (c Common) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in more than %s of %s that differ; they are %s of what is compared\n", terminal.Several(c.Passages, "passage"),
		percent(c.Share), terminal.Several(c.Documents, "document"), percent(c.LeftOut))
	if c.Whole > 0 {
		fmt.Fprintf(&b, "%s with nothing else: all of it counts there\n", terminal.Several(c.Whole, "document"))
	}
	if c.Lost > 0 {
		fmt.Fprintf(&b, "unecho: %s that would be common can be no line of a list, and will count\n", terminal.Several(c.Lost, "shingle"))
	}
	return b.String()
}
