package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/written"
	"github.com/unecho/unecho/config"
)

// addCorpusFlags adds how files become documents.
func addCorpusFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.String("files-from", "", "read the names of files from this list, a name a line (- is standard input); each file is a document")
	flags.String("format", corpus.Auto, "auto (by name), jsonl, csv, tsv, lines, or text: the file is a document")
	flags.StringSlice("fields", []string{"text"}, "the fields or columns with the text")
	flags.String("id", "id", "the field or column with the id; a document without one is called by its number")
	offer(cmd, "format", corpus.Formats()...)
}

// corpusParams are what those flags say.
func corpusParams(cmd *cobra.Command, c config.Config) (corpus.Params, error) {
	fields, err := cmd.Flags().GetStringSlice("fields")
	p := corpus.Params{
		Document: c.Document, Format: cmd.Flag("format").Value.String(), ID: cmd.Flag("id").Value.String(), Fields: fields,
	}
	if !cmd.Flag("fields").Changed && cmd.Flag("config").Changed {
		p.Fields = c.Document.Fields
	}
	return p, err
}

// errUnread is what a verb ends with that needs all documents.
var errUnread = errors.New("stopped before all documents were read; nothing is written")

// openCorpus opens the files that a command line names, none of which may be written. size is their size together, or -1.
func openCorpus(cmd *cobra.Command, args []string, c config.Config, out written.Files) (r *corpus.Reader, size int64, err error) {
	p, err := corpusParams(cmd, c)
	if err != nil {
		return nil, 0, err
	}
	sources, size, err := openSources(cmd.Flag("files-from").Value.String(), args, out)
	if err != nil {
		return nil, 0, err
	}
	r, err = corpus.NewReader(p, sources)
	return r, size, err
}

// openSources are the files of a list, or those named, none of which may be written. size is their size together, or -1.
func openSources(list string, paths []string, out written.Files) (sources corpus.Sources, size int64, err error) {
	if sources, size, err = namedSources(list, paths); err != nil {
		return nil, 0, err
	}
	if list != corpus.Stdin {
		if err := out.SpareFiles(list); err != nil {
			return nil, 0, err
		}
	}
	sources, err = out.Spare(sources)
	return sources, size, err
}

func namedSources(list string, paths []string) (sources corpus.Sources, size int64, err error) {
	switch {
	case list != "" && len(paths) > 0:
		return nil, 0, exit.Usage(errors.New("name files, or a list of them by --files-from, not both"))
	case list == corpus.Stdin:
		return corpus.Listed(os.Stdin), -1, nil
	case list != "":
		names, err := os.Open(list)
		if err != nil {
			return nil, 0, exit.NotThere(fmt.Errorf("open the list of files: %w", err))
		}
		return corpus.Listed(names), -1, nil
	case len(paths) == 0:
		return nil, 0, exit.Usage(errors.New("no file is named; - is standard input"))
	}
	sources, size, err = corpus.Files(paths)
	return sources, size, exit.NotThere(err)
}

// writtenBy are the files that these flags name.
func writtenBy(cmd *cobra.Command, flags ...string) (all written.Files, err error) {
	for _, flag := range flags {
		if err := all.Add(flag, cmd.Flag(flag).Value.String()); err != nil {
			return nil, err
		}
	}
	return all, nil
}
