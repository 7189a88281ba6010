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

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/target"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/index/setting"
)

// Command is the verb explain.
func Command() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "explain A B",
		Short: "Say how similar two documents are, by each measure, and why they are duplicates or not",
		Long: "Say how similar two documents are, by each measure, what the service would decide if B came after A, why, " +
			"and which\n" +
			"setting would have it decide otherwise. A document is a file (- is standard input), TOPIC/PARTITION/OFFSET of the cluster\nthat --config names, or else the text itself. With --in it is an id in these files, or else a number, as in the\n" +
			"outputs of `unecho dedup`, or FILE:NUMBER, which needs no --in: the verdict is then that of `unecho dedup`, among all\n" +
			"documents of the files, and A is the one that comes first.",
		Example: "  unecho explain 'the cat sat in the hat' 'the cat sat on the mat' --shingle word:1\n" +
			"  unecho explain one.txt other.txt --json\n" +
			"  unecho explain --in articles.jsonl 1 2 --normal --shared\n" +
			"  unecho explain monday.jsonl:17 tuesday.jsonl:4\n" +
			"  unecho explain --config unecho.yaml news/3/17 news/0/12",
		Args: cmdline.Exactly("A", "B"),
		RunE: func(cmd *cobra.Command, args []string) error { return runExplain(cmd, args) },
	}
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Texts("in", "file", "A and B are documents in this file or directory (- is standard input); may be repeated")
	})
	cmdline.AddLayoutFlags(cmd)
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Bool("normal", false, "the normal form of both as well: what is compared")
		f.Bool("shared", false, "all shingles that both have as well")
	})
	cmdline.AddJSON(cmd, "all of it as one JSON object")
	cmdline.AddSettings(cmd, "duplicates", "normalize", "advanced.max_document_bytes", "sources.reject", "sources.scope")
	return cmd
}

func runExplain(cmd *cobra.Command, args []string) error {
	files := cmdline.Texts(cmd, "in")
	if len(files) == 0 {
		files = FilesOf([2]string(args))
	}
	base := config.Default()
	if len(files) > 0 {
		base = config.ForFiles()
	}
	return cmdline.RunFiles(cmd, files, base, Rules(files), func(ctx context.Context, c config.Config) (err error) {
		if err := cmdline.SpareFromStdout(cmd, slices.Concat(files, args)...); err != nil {
			return err
		}
		if len(files) > 0 {
			if c.Judge, err = c.Judge.ForFiles(nil); err != nil {
				return err
			}
		}
		documents, err := documentsOf(ctx, cmd, files, args, c)
		if err != nil {
			return err
		}
		for i := range documents {
			if documents[i].Scope == 0 {
				documents[i].Scope = documents[1-i].Scope // only a record has one: a text may be of any
			}
		}
		x, err := Explain(c.Judge, documents[0], documents[1])
		if err != nil {
			return err
		}
		if cmdline.Bool(cmd, "json") {
			return terminal.WriteJSON(cmd.OutOrStdout(), x)
		}
		return WriteText(cmd.OutOrStdout(), c.Judge, x, Also{Normal: cmdline.Bool(cmd, "normal"), Shared: cmdline.Bool(cmd, "shared")})
	})
}

func documentsOf(ctx context.Context, cmd *cobra.Command, files, args []string, c config.Config) (d [2]Input, err error) {
	if len(files) > 0 {
		return documentsIn(ctx, cmd, files, [2]string(args), c)
	}
	open := Opener{
		MaxBytes: int64(c.Advanced.MaxDocumentBytes), Stdin: os.Stdin,
		Records: func() (topic.Options, *corpus.TopicReader, error) { return target.Records(cmd, c) },
	}
	for i, arg := range args {
		if d[i], err = open.Document(ctx, arg); err != nil {
			return d, err
		}
	}
	return d, nil
}

func documentsIn(ctx context.Context, cmd *cobra.Command, files []string, names [2]string, c config.Config) (
	d [2]Input, err error,
) {
	p, err := cmdline.FileParams(cmd, c)
	if err != nil {
		return d, err
	}
	sources, _, err := outfile.Files{}.Sources(outfile.Named{Paths: files})
	if err != nil {
		return d, err
	}
	in, err := corpus.NewReader(p, sources)
	if err != nil {
		return d, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	return Find(ctx, c.Judge, in, files, names)
}

// Rules say when each flag decides something, beside documents of these files.
func Rules(files []string) []cmdline.Rule {
	inFiles := func(*cmdline.Asked) bool { return len(files) > 0 }
	return slices.Concat([]cmdline.Rule{
		{Flags: "format fields id delimiter lenient-quotes strict", When: inFiles, Why: "is about a file with documents: name it by --in"},
		{Flags: "normal shared", When: func(g *cmdline.Asked) bool { return !g.Has("json") }, Why: "is in --json already: leave it out"},
		{Flags: "in json html"},
	}, cmdline.SettingRules(), cmdline.PairRules(), cmdline.JudgeRules(), cmdline.LayoutRules())
}

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
