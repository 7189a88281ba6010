package cmdline

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
)

// AddFileFlags adds the flags that say how files become documents.
func AddFileFlags(cmd *cobra.Command) {
	Add(cmd, Input, func(f Flags) {
		f.Text("files-from", "file", "",
			"read the names of files from this list, a name a line (- is standard input); each file is a document")
		f.Texts("include", "glob", "of directories, take the files with such a name, or such a path if it has a /; may be repeated")
		f.BoolP("null", "0", false, "names in --files-from end with a byte of 0, as `find -print0` writes them")
	})
	AddLayoutFlags(cmd)
}

// AddLayoutFlags adds the flags that say what is a document in a file.
func AddLayoutFlags(cmd *cobra.Command) {
	Add(cmd, Input, func(f Flags) {
		f.Text("format", "choice", corpus.Auto, corpus.FormatsHelp())
		f.StringSlice("fields", []string{"text"}, "the fields or columns with the text")
		f.Named("fields", "names")
		f.Text("id", "name", "id", "the field or column with the id; a document without one is called FILE:NUMBER, or by its number where none of a file has one")
		f.Text("delimiter", "char", "", "the character between the columns of CSV: one character, or \\t")
		f.Bool("lenient-quotes", false, "in CSV a quotation mark may stand anywhere")
		f.Bool("strict", false, "end at the first document or file that is rejected; else they are passed over and reported")
	})
	Offer(cmd, "format", corpus.Formats()...)
}

// FileParams returns the values of those flags.
func FileParams(cmd *cobra.Command, c config.Config) (corpus.Params, error) {
	read, err := c.Reading()
	if err != nil {
		return corpus.Params{}, exit.Usage(fmt.Errorf("--config: %w; leave it out and say by flags how files are read", err))
	}
	fields, err := cmd.Flags().GetStringSlice("fields")
	p := corpus.Params{
		Called: Called(cmd), Document: read, Format: Text(cmd, "format"), ID: Text(cmd, "id"), Fields: fields,
		MustID: cmd.Flag("id").Changed && Text(cmd, "id") != "", Strict: Bool(cmd, "strict"),
	}
	if !cmd.Flag("fields").Changed && cmd.Flag("config").Changed {
		p.Fields = read.Fields
	}
	for _, flag := range corpus.LayoutFlags() {
		if f := cmd.Flag(flag); f != nil && f.Changed && flag != "id" { // of which MustID is told
			p.Asked = append(p.Asked, flag)
		}
	}
	p.Lenient = Bool(cmd, "lenient-quotes")
	switch delimiter := Text(cmd, "delimiter"); {
	case delimiter == `\t`:
		p.Comma = '\t'
	case len(delimiter) == 1:
		p.Comma = delimiter[0]
	case delimiter != "":
		return p, exit.Usage(fmt.Errorf("--delimiter %s: write one character of ASCII, or \\t", delimiter))
	}
	return p, err
}

// NamedFiles returns the files that a command line names.
func NamedFiles(cmd *cobra.Command, list string, paths []string) outfile.Named {
	return outfile.Named{Paths: paths, Include: Texts(cmd, "include"), List: list, Zeros: Bool(cmd, "null")}
}

// SpareFromStdout returns an error if standard output goes to a file that is read.
func SpareFromStdout(cmd *cobra.Command, paths ...string) error {
	var out outfile.Files
	out.Stdout(cmd.OutOrStdout())
	return out.SpareFiles(paths...)
}

// WrittenBy returns the files that these flags name.
func WrittenBy(cmd *cobra.Command, flags ...string) (all outfile.Files, err error) {
	for _, flag := range flags {
		if err := all.Add(flag, Text(cmd, flag)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// AboutFiles says what a page is about: the inputs, the date and the version.
func AboutFiles(cmd *cobra.Command, args []string, title, version string) report.About {
	var inputs []string
	for _, arg := range args {
		inputs = append(inputs, corpus.NameOf(arg))
	}
	if list := cmd.Flag("files-from"); list != nil && list.Changed {
		inputs = append([]string{"the files of " + list.Value.String()}, inputs...)
	}
	if topic := cmd.Flag("topic"); topic != nil && topic.Changed {
		inputs = []string{"topic " + topic.Value.String()}
	}
	return report.About{Title: title, Inputs: inputs, Made: time.Now(), Version: version}
}

// RunFiles runs a verb about these files until a signal comes: with the settings that the command line asks for, which begin with
// base, and without flags that decide nothing.
func RunFiles(cmd *cobra.Command, paths []string, base config.Config, rules []Rule,
	do func(ctx context.Context, c config.Config) error,
) (err error) {
	ctx, stop := exit.UntilSignal(cmd.Context(), cmd.ErrOrStderr())
	defer stop()
	defer exit.MarkInterrupted(ctx, &err)
	c, err := Settings(cmd, base)
	if err != nil {
		return err
	}
	if err := RefuseIdle(&Asked{Command: cmd, Paths: paths, Config: c}, rules); err != nil {
		return err
	}
	return do(ctx, c)
}

// EachRecord calls take with each document of the files that a command line names, none of which may be written, and shows how far
// it has come. A verb that uses it needs all of them: it is an error if ctx is done before.
func EachRecord(ctx context.Context, cmd *cobra.Command, args []string, c config.Config, out outfile.Files,
	take func(*corpus.Record) error,
) (err error) {
	p, err := FileParams(cmd, c)
	if err != nil {
		return err
	}
	if tokens := cmd.Flag("tokens"); tokens == nil || !tokens.Changed {
		p.Rows = corpus.RowsWanted
	}
	out.Stdout(cmd.OutOrStdout())
	sources, size, err := out.Sources(NamedFiles(cmd, Text(cmd, "files-from"), args))
	if err != nil {
		return err
	}
	in, err := corpus.NewReader(p, sources)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	bar := terminal.NewProgress(cmd.ErrOrStderr(), size)
	defer bar.End()
	err = corpus.Each(ctx, in, func(r *corpus.Record) error {
		bar.Document(in.Read())
		return take(r)
	})
	if ctx.Err() != nil {
		return ErrUnread
	}
	return err
}

// ErrUnread ends a verb that needs all documents.
var ErrUnread = errors.New("stopped before all documents were read; nothing is written")
