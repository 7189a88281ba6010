package parts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/memory"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/document"
)

// AddFlags adds the flags of a run that removes parts.
func AddFlags(cmd *cobra.Command) {
	usual := DefaultParams()
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Text("unit", "choice", "", "compare the parts of documents in place of whole documents, and remove repeated ones: "+
			strings.Join(Units(), ", "))
		f.Int("part-bytes", usual.Bytes, "with --unit: parts stay whose normal form has fewer bytes")
		f.Int("repeats", usual.Repeats, "with --unit: parts are removed, but for the first, that are there so often in all; from 3 on "+
			"files are read twice")
	})
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Text("removed", "file", "", "with --unit: write a JSON line for each part that is removed: id, at, text, first, and file and row of both documents")
	})
	cmdline.Offer(cmd, "unit", Units()...)
}

// partsRun is a run of dedup that removes parts.
type partsRun struct {
	cmd    *cobra.Command
	config config.Config
	params Params
	named  []string
	list   string
	out    *Outputs
}

// Run is a run of dedup that removes parts. The rules are those of its command.
func Run(ctx context.Context, cmd *cobra.Command, args []string, rules []cmdline.Rule) (err error) {
	began := time.Now()
	r := &partsRun{cmd: cmd, params: DefaultParams()}
	if err := r.read(args, rules); err != nil {
		return err
	}
	remover := New(r.params)
	if remover.Counts() {
		if err := r.count(ctx, remover); err != nil {
			return err
		}
	}
	in, err := r.open()
	if err != nil {
		return err
	}
	if r.out, err = Open(r.paths(), cmd.OutOrStdout(), r.params.Keep, in.ids == corpus.IntegerIDs); err != nil {
		return errors.Join(err, in.Reader.Close())
	}
	defer func() { err = errors.Join(err, r.out.Close()) }()
	if err := r.remove(ctx, remover, in); err != nil {
		return err
	}
	r.out.Report(cmd.ErrOrStderr())
	c := r.out.counts
	c.Unit = r.params.Unit
	err = cmdline.Summarise(cmd, Summary{c, remover.Stats(), report.NewCost(c.Documents, time.Since(began))})
	if err == nil && c.Documents > 0 && c.Rejected == c.Documents {
		return fmt.Errorf("all %s were rejected: see why by --rejected -", terminal.Several(int(c.Documents), "document"))
	}
	return err
}

// read takes what the command line asks for.
func (r *partsRun) read(args []string, rules []cmdline.Rule) (err error) {
	if err := onlyParts(r.cmd); err != nil {
		return err
	}
	p := &r.params
	if p.Unit, err = ParseUnit(cmdline.Text(r.cmd, "unit")); err != nil {
		return exit.Usage(fmt.Errorf("--unit: %w", err))
	}
	if p.Memory, err = cmdline.Size(r.cmd, "memory"); err != nil {
		return err
	}
	if r.config, err = cmdline.Settings(r.cmd, config.Default()); err == nil {
		err = onlyText(r.config.Sources)
	}
	if err != nil {
		return err
	}
	p.Bytes = cmdline.Int(r.cmd, "part-bytes")
	p.Repeats = cmdline.Int(r.cmd, "repeats")
	if p.Workers = cmdline.Int(r.cmd, "workers"); p.Workers < 1 {
		p.Workers = runtime.GOMAXPROCS(0)
	}
	r.named = append(cmdline.Texts(r.cmd, "query"), args...)
	g := cmdline.Asked{Command: r.cmd, Paths: r.named, Config: r.config}
	if err := cmdline.RefuseIdle(&g, rules); err != nil {
		return err
	}
	r.list = cmdline.Text(r.cmd, "files-from")
	p.Text, p.Strict, p.Named = r.config.Judge.Normalize, cmdline.Bool(r.cmd, "strict"), r.list != "" || len(r.named) != 1
	p.Keep = cmdline.Bool(r.cmd, "keep-rejected")
	switch unique := cmdline.Text(r.cmd, "unique"); {
	case p.Bytes < 0:
		return exit.Usage(fmt.Errorf("--part-bytes %d: write 0 or more", p.Bytes))
	case p.Repeats < 2:
		return exit.Usage(fmt.Errorf("--repeats %d: write 2 or more; a part that is there once is not repeated", p.Repeats))
	case p.Repeats > math.MaxInt32:
		return exit.Usage(fmt.Errorf("--repeats %d: write at most %d", p.Repeats, math.MaxInt32))
	case len(r.named) == 0 && r.list == "":
		return exit.Usage(errors.New("no file is named; - is standard input"))
	case p.Repeats > 2 && (r.list == corpus.Stdin || slices.Contains(r.named, corpus.Stdin)):
		return exit.Usage(errors.New("--repeats: from 3 on files are read twice, and standard input can be read once only: name a file"))
	case outfile.IsTable(unique):
		return exit.Usage(fmt.Errorf("--unique %s: documents with parts removed are not written as Parquet: name it .jsonl, which "+
			"has all columns", unique))
	}
	return nil
}

// onlyParts refuses settings that say how whole documents are compared.
func onlyParts(cmd *cobra.Command) error {
	for _, set := range cmdline.Texts(cmd, "set") {
		if strings.HasPrefix(strings.TrimSpace(set), "duplicates.") {
			return exit.Usage(fmt.Errorf("--set %s is for whole documents, and --unit compares their parts by normal form: leave it out",
				set))
		}
	}
	return nil
}

// onlyText refuses fields of which parts cannot be cut out as they are written.
func onlyText(sources []document.Source) error {
	if !slices.ContainsFunc(sources, func(s document.Source) bool { return len(s.Reading.HTML)+len(s.Reading.Base64) > 0 }) {
		return nil
	}
	return exit.Usage(errors.New("--unit cuts parts out of texts as they are written, and sources.html or " +
		"sources.base64 say that some are HTML or base64: leave these settings out, or turn the fields into text first"))
}

func (r *partsRun) paths() map[string]string {
	paths := map[string]string{}
	for _, name := range OutputNames() {
		if path := cmdline.Text(r.cmd, name); path != "" {
			paths[name] = path
		}
	}
	if len(paths) == 0 && !cmdline.Bool(r.cmd, "json") {
		paths["unique"] = corpus.Stdin
	}
	return paths
}

// open opens the files, none of which may be written.
func (r *partsRun) open() (in *input, err error) {
	spared, err := cmdline.WrittenBy(r.cmd, OutputNames()...)
	if err != nil {
		return nil, err
	}
	spared.Stdout(r.cmd.OutOrStdout())
	if err := spared.SpareFiles(cmdline.ConfigFile(r.cmd)); err != nil {
		return nil, err
	}
	p, err := cmdline.FileParams(r.cmd, r.config)
	if err != nil {
		return nil, err
	}
	p.Kept = r.params.Keep
	named := cmdline.NamedFiles(r.cmd, r.list, r.named)
	if r.params.Repeats > 2 {
		named.Again = "repeats"
	}
	sources, size, err := spared.Sources(named)
	if err != nil {
		return nil, err
	}
	ids := corpus.OtherIDs
	if outfile.AnyTable(r.paths()) {
		if sources, ids, err = sources.IDs(p.ID); err != nil {
			return nil, err
		}
	}
	writes := func(info fs.FileInfo) bool { return r.out != nil && r.out.Writes(info) }
	reader, err := corpus.NewReader(p, corpus.Except(sources, writes))
	return &input{Reader: reader, Size: size, ids: ids}, err
}

// count reads the files for the first of two times.
func (r *partsRun) count(ctx context.Context, remover *Remover) (err error) {
	in, err := r.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Reader.Close()) }()
	step, end := r.progress(in, remover)
	defer end()
	if err := remover.Count(ctx, in.Reader, step); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return errors.New("stopped before the parts were counted; nothing is written")
	}
	return nil
}

func (r *partsRun) remove(ctx context.Context, remover *Remover, in *input) (err error) {
	defer func() { err = errors.Join(err, in.Reader.Close()) }()
	step, end := r.progress(in, remover)
	defer end()
	err = remover.Remove(ctx, in.Reader, func(o *Outcome) error {
		step()
		return r.out.Add(o)
	})
	done := r.out.counts.Documents
	if ctx.Err() != nil && done == 0 {
		return errors.Join(err, errors.New("stopped after 0 documents; nothing is written"))
	}
	if err = r.out.Finish(err); err == nil && ctx.Err() != nil {
		return fmt.Errorf("stopped after %s; the outputs hold what became of those", terminal.Several(int(done), "document"))
	}
	return err
}

// garbageDocuments is after how many documents the collector is set again.
const garbageDocuments = 1 << 12

// progress shows progress: step counts a document.
func (r *partsRun) progress(in *input, remover *Remover) (step, end func()) {
	bar := terminal.NewProgress(r.cmd.ErrOrStderr(), in.Size)
	bar.Hidden = r.out != nil && r.out.OnTerminal()
	return func() {
		bar.Document(in.Reader.Read())
		if bar.Documents%garbageDocuments == 0 {
			memory.SetGarbage(remover.Stats().Bytes)
		}
	}, bar.End
}

type input struct {
	Reader *corpus.Reader
	Size   int64      // bytes; -1: not known
	ids    corpus.IDs // what kind they are of, where an output is Parquet
}
