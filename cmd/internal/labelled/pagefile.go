package labelled

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/infile"
	"github.com/unecho/unecho/cmd/internal/outfile"
	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/internal/corpus"
)

// evalPage is the page of eval, if one is asked for.
type evalPage struct {
	cmd    *cobra.Command
	path   string // - is standard output, empty is no page
	labels string
}

// ready checks whether the page can be written, and returns the file that is not to be read.
func (p *evalPage) ready() (outfile.Files, error) {
	files, err := infile.WrittenBy(p.cmd, "html")
	if err != nil {
		return nil, err
	}
	if err := files.SpareFiles(cmdline.ConfigFile(p.cmd), p.labels); err != nil {
		return nil, err
	}
	switch p.path {
	case "":
		return files, nil
	case corpus.Stdin:
		if cmdline.Bool(p.cmd, "json") {
			return nil, exit.Usage(errors.New("--html -: standard output is taken already"))
		}
		return files, nil
	}
	if err := outfile.Replaceable(p.path); err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	return files, nil
}

func (p *evalPage) write(d *Documents, result Result, about report.About) error {
	write := func(out io.Writer) error { return d.WritePage(out, about, result, p.labels) }
	switch p.path {
	case "":
		return nil
	case corpus.Stdin:
		return write(p.cmd.OutOrStdout())
	}
	return outfile.Replace(p.path, 0o666, write)
}
