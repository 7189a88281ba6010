package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/labelled"
	"github.com/unecho/unecho/cmd/internal/sheet"
	"github.com/unecho/unecho/cmd/internal/written"
	"github.com/unecho/unecho/internal/corpus"
)

// evalPage is the page of eval, if one is asked for.
type evalPage struct {
	cmd    *cobra.Command
	path   string // - is standard output, empty is no page
	labels string
}

// ready checks whether the page can be written, and returns the file that is not to be read.
func (p *evalPage) ready() (written.Files, error) {
	files, err := writtenBy(p.cmd, "html")
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
	if err := written.Replaceable(p.path); err != nil {
		return nil, fmt.Errorf("write page: %w", err)
	}
	return files, nil
}

func (p *evalPage) write(d *labelled.Documents, args []string, result labelled.Result) error {
	about := sheetOf(p.cmd, args, "unecho eval")
	write := func(out io.Writer) error { return d.WritePage(out, about, result, p.labels) }
	switch p.path {
	case "":
		return nil
	case corpus.Stdin:
		return write(p.cmd.OutOrStdout())
	}
	return written.Replace(p.path, 0o666, write)
}

// sheetOf says what a page is about: the inputs, the date and the version.
func sheetOf(cmd *cobra.Command, args []string, title string) sheet.About {
	inputs := slices.Clone(args)
	for i, arg := range inputs {
		if arg == corpus.Stdin {
			inputs[i] = "standard input"
		}
	}
	if list := cmd.Flag("files-from"); list != nil && list.Changed {
		inputs = append([]string{"the files of " + list.Value.String()}, inputs...)
	}
	if topic := cmd.Flag("topic"); topic != nil && topic.Changed {
		inputs = []string{"topic " + topic.Value.String()}
	}
	return sheet.About{Title: title, Inputs: inputs, Made: time.Now(), Version: version()}
}
