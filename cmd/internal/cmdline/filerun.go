package cmdline

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
)

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
	in, size, err := OpenFiles(cmd, args, c, out)
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
