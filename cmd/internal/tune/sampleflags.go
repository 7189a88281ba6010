package tune

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/topic"
)

func addSampleFlags(cmd *cobra.Command) {
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Int("sample", 100_000, "take so many documents, at random; 0 takes all that --sample-bytes has room for")
		f.Text("sample-bytes", "size", "100MiB",
			"take no more text than this, which takes about 30 times as much memory; 0 has no bound")
		f.Uint64("seed", 1, "of the sample, and of the order under --budget")
		f.Text("tokens", "field", "",
			"the field of a JSON document with an array of tokens, which are taken as they are instead of a text")
		f.Text("pairs", "file", "", "tune for these pairs, whatever their similarity: two ids on each line, as for eval; their "+
			"documents are all in the sample")
		f.Text("topic", "topic", "", "read documents from this topic instead of files")
		f.Int64("documents", 0, "of the topic, the newest so many")
		f.Text("from", "time", "", "of the topic, what is not older than this: a time such as 2026-11-21T08:00:00Z, or how "+
			"long ago, such as 24h")
		f.Text("to", "time", "", "of the topic, what is older than this")
	})
}

func tokensField(cmd *cobra.Command) string { return cmdline.Text(cmd, "tokens") }

func samplerOf(cmd *cobra.Command, labels *Labels) (*Sampler, error) {
	p := SamplerParams{
		Most: cmdline.Int(cmd, "sample"),
		Seed: cmdline.Uint64(cmd, "seed"), Field: tokensField(cmd),
	}
	if labels != nil {
		p.Names = labels.Names()
	}
	if cmdline.Text(cmd, "grid") == PublishedGrid && !cmd.Flag("sample").Changed {
		p.Most = PublishedSample
	}
	if p.Most < 0 {
		return nil, exit.Usage(fmt.Errorf("--sample %d: write a number of documents, or 0 for all", p.Most))
	}
	var err error
	p.Bytes, err = cmdline.Size(cmd, "sample-bytes")
	return NewSampler(p), err
}

// readSample reads the documents. It returns the numbers of those that are labelled as well.
func readSample(ctx context.Context, cmd *cobra.Command, args []string, c config.Config,
	out outfile.Files, labels *Labels,
) (sample Sample, numbers Numbers, err error) {
	s, err := samplerOf(cmd, labels)
	if err != nil {
		return nil, numbers, err
	}
	if err := fillSample(ctx, cmd, args, c, out, s); err != nil {
		return nil, numbers, err
	}
	sample, err = s.Sample(cmd.ErrOrStderr(), c.Judge)
	return sample, s.Numbers(), err
}

func fillSample(ctx context.Context, cmd *cobra.Command, args []string, c config.Config, out outfile.Files, s *Sampler) error {
	name := cmdline.Text(cmd, "topic")
	switch {
	case name != "" && (len(args) > 0 || cmd.Flag("files-from").Changed):
		return exit.Usage(errors.New("name files or a --topic, not both"))
	case name != "":
		err := readTopic(ctx, cmd, c, name, s)
		if ctx.Err() != nil {
			return cmdline.ErrUnread
		}
		return err
	}
	return cmdline.EachRecord(ctx, cmd, args, c, out, func(r *corpus.Record) error { return s.AddFile(r, len(args) != 1) })
}

func readTopic(ctx context.Context, cmd *cobra.Command, c config.Config, name string, s *Sampler) error {
	span, err := ParseSpan(cmdline.Text(cmd, "from"), cmdline.Text(cmd, "to"), cmdline.Int64(cmd, "documents"), time.Now())
	if err != nil {
		return err
	}
	opts, reader, err := target.Records(cmd, c)
	if err != nil {
		return err
	}
	bar := terminal.NewProgress(cmd.ErrOrStderr(), -1)
	defer bar.End()
	return topic.ReadSpan(ctx, opts, name, span, func(r *topic.Record) error {
		bar.Documents++
		bar.Add(len(r.Value))
		return s.AddTopic(ctx, r, reader)
	})
}
