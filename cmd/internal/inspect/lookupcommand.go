package inspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

// LookupCommand is the verb lookup.
func LookupCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "lookup [TEXT|FILE]...",
		Short: "Ask a running member whether a text is a duplicate of something it remembers",
		Long: "Ask a running member whether texts are duplicates of what it remembers, of which, how close, and why. The texts are\n" +
			"not remembered. An argument is a file (- is standard input), or else the text itself, unless it looks like the name of\n" +
			"a file: --text is always a text.\n\n" +
			"The exit code is 0 if each text is a duplicate, 1 if one is not, 2 if the member could not be asked.",
		Example: "  unecho lookup 'The council decided to build the bridge.'\n" +
			"  unecho lookup article.txt --most 5\n" +
			"  unecho lookup --lines titles.txt --json --server http://filter-0:9464 --token-file token",
		RunE: OnMember(lookup),
	}
	AddMemberFlags(cmd)
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Texts("text", "text", "this text, whatever it looks like; may be repeated")
		f.Text("lines", "file", "", "each line of a file is a text; - is standard input")
		f.Text("scope", "scope", "", "the scope of the texts, if the service has sources.scope")
		f.Text("topic", "topic", "", "the source topic whose documents they are like, if sources have scopes that are not alike")
	})
	cmdline.Add(cmd, cmdline.Output, func(f cmdline.Flags) {
		f.Int("most", 1, "show so many matches of each text, at most")
	})
	cmdline.AddJSON(cmd, "a JSON object for each text, a line each")
	return cmd
}

func lookup(ctx context.Context, cmd *cobra.Command, c *Client, args []string) error {
	lines, texts := cmdline.Text(cmd, "lines"), cmdline.Texts(cmd, "text")
	if len(args)+len(texts) == 0 && lines == "" {
		return exit.Usage(errors.New("give a text, a file, or --lines FILE"))
	}
	a := Asker{
		Client: c, Scope: cmdline.Text(cmd, "scope"), Topic: cmdline.Text(cmd, "topic"), Most: cmdline.Int(cmd, "most"),
		Out: cmd.OutOrStdout(), JSON: cmdline.Bool(cmd, "json"), Named: len(args)+len(texts) > 1 || lines != "",
	}
	if err := askAll(ctx, cmd, &a, asked{args, texts, lines}); err != nil {
		return exit.Undone(err)
	}
	if a.Unique > 0 {
		return errors.New("not every text is a duplicate")
	}
	return nil
}

type asked struct {
	args  []string // files, or texts
	texts []string
	lines string // a file with a text on each line; may be empty
}

func askAll(ctx context.Context, cmd *cobra.Command, a *Asker, all asked) error {
	for _, arg := range all.args {
		in, err := openText(cmd, arg)
		if err == nil {
			err = errors.Join(a.Text(ctx, arg, untilDone{ctx, in}), in.Close())
		}
		if err != nil {
			return err
		}
	}
	for _, text := range all.texts {
		if err := a.Text(ctx, text, strings.NewReader(text)); err != nil {
			return err
		}
	}
	if lines := all.lines; lines != "" {
		in, err := cmdline.OpenInput(cmd, lines)
		if err == nil {
			err = errors.Join(a.Lines(ctx, untilDone{ctx, in}), in.Close())
		}
		if err != nil {
			return fmt.Errorf("--lines %s: %w", lines, err)
		}
	}
	return a.Flush(ctx)
}

// openText opens the file that an argument names, or reads the argument itself.
func openText(cmd *cobra.Command, arg string) (io.ReadCloser, error) {
	file, err := cmdline.OpenInput(cmd, arg)
	if errors.Is(err, fs.ErrNotExist) && cmdline.LooksLikeFile(arg) {
		return nil, exit.Usage(fmt.Errorf("there is no file %s: check its name; a text that looks like one is given by --text",
			terminal.Printable(arg, terminal.LongLine)))
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENAMETOOLONG) || err != nil && strings.Contains(arg, " ") {
		return io.NopCloser(strings.NewReader(arg)), nil
	}
	return file, err
}

// untilDone reads until ctx is done, also where input does not come. Then it must not be read any more.
type untilDone struct {
	ctx context.Context // of this reader's only use
	in  io.Reader
}

// Read implements io.Reader.
func (p untilDone) Read(into []byte) (int, error) {
	buffer, read := make([]byte, len(into)), make(chan error, 1)
	n := 0
	go func() {
		var err error
		n, err = p.in.Read(buffer)
		read <- err
	}()
	select {
	case err := <-read:
		return copy(into, buffer[:n]), err
	case <-p.ctx.Done():
	}
	select {
	case err := <-read: // it came first
		return copy(into, buffer[:n]), err
	default:
		return 0, p.ctx.Err()
	}
}
