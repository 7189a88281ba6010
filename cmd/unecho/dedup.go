package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index/setting"
)

func dedupCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dedup FILE...",
		Short: "Find the near-duplicates in files, without Kafka",
		Long: "Find the near-duplicates in files: JSONL, CSV, TSV, plain lines, directories of .txt; gzip and zstd; - is standard\n" +
			"input. Documents are judged in their order by the very core that the service runs, on all cores. Without an output\n" +
			"flag the unique ones go to standard output, unchanged.\n\n" +
			"The whole index is in memory (--memory). What is too much for one machine, or never ends, is the service's job:\n" +
			"see `unecho run --help`.",
		Example: "  unecho dedup articles.jsonl > unique.jsonl\n" +
			"  unecho dedup --fields 'Title,Short Description' --threshold 0.8 --pairs pairs.tsv ads.tsv\n" +
			"  find texts -name '*.md' | unecho dedup --files-from - --duplicates -",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runDedup(cmd, args) },
	}
	addCorpusFlags(cmd)
	flags := cmd.Flags()
	flags.String("unique", "", "write the unique documents here, unchanged (- is standard output)")
	flags.String("duplicates", "", "write a JSON line for each duplicate: id, match_id, similarity, method, cluster")
	flags.String("pairs", "", "write a line for each verified match: a, b, similarity, separated by tabs")
	flags.String("clusters", "", "write a line for each document: cluster, id, separated by a tab")
	flags.String("rejected", "", "write a JSON line for each document that cannot be compared: id, reason, detail")
	flags.String("representative", "first", "which document of a cluster is its unique one: first, last or longest")
	flags.String("memory", "4GiB", "what the index may take; it is an error if it does not suffice")
	flags.Int("workers", 0, "goroutines that read and sign; 0 is one for each core")
	flags.Bool("json", false, "the summary as one JSON object on the last line")
	addSettingFlags(cmd, "similarity", "text", "document.max_bytes", "document.invalid_utf8", "document.empty")
	return cmd
}

// addCorpusFlags adds how files become documents.
func addCorpusFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.String("files-from", "", "read the names of files from this list, a name a line (- is standard input); each file is a document")
	flags.String("format", corpus.Auto, "auto (by name), jsonl, csv, tsv, lines, or text: the file is a document")
	flags.StringSlice("fields", []string{"text"}, "the fields or columns with the text")
	flags.String("id", "id", "the field or column with the id; a document without one is called by its number")
}

// openCorpus opens the files that a command line names. size is their size together, or -1.
func openCorpus(cmd *cobra.Command, args []string, c config.Config) (r *corpus.Reader, size int64, err error) {
	flags := cmd.Flags()
	p := corpus.Params{Document: c.Document, Format: cmd.Flag("format").Value.String(), ID: cmd.Flag("id").Value.String()}
	if p.Fields, err = flags.GetStringSlice("fields"); err != nil {
		return nil, 0, err
	}
	if !cmd.Flag("fields").Changed && cmd.Flag("config").Changed {
		p.Fields = c.Document.Fields
	}
	sources, size, err := openSources(cmd.Flag("files-from").Value.String(), args)
	if err != nil {
		return nil, 0, err
	}
	r, err = corpus.NewReader(p, sources)
	return r, size, err
}

func openSources(list string, args []string) (corpus.Sources, int64, error) {
	switch {
	case list != "" && len(args) > 0:
		return nil, 0, usageError{errors.New("name files, or a list of them by --files-from, not both")}
	case list == corpus.Stdin:
		return corpus.Listed(os.Stdin), -1, nil
	case list != "":
		names, err := os.Open(list)
		if err != nil {
			return nil, 0, fmt.Errorf("open the list of files: %w", err)
		}
		return corpus.Listed(names), -1, nil
	case len(args) == 0:
		return nil, 0, usageError{errors.New("no file is named; - is standard input")}
	}
	return corpus.Files(args)
}

func runDedup(cmd *cobra.Command, args []string) (err error) {
	ctx, stop := untilSignal(cmd.Context(), cmd.ErrOrStderr())
	defer stop()
	c, err := settingsOf(cmd, config.Default())
	if err != nil {
		return err
	}
	var memory setting.Bytes
	if err := memory.UnmarshalText([]byte(cmd.Flag("memory").Value.String())); err != nil {
		return usageError{fmt.Errorf("--memory: %w", err)}
	}
	workers, err := cmd.Flags().GetInt("workers")
	if err != nil {
		return err
	}
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	in, size, err := openCorpus(cmd, args, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	judge, err := dedup.NewJudge(c.Judge, memory)
	if err != nil {
		return err
	}
	out, err := openDedupOutputs(cmd)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.close()) }()
	p := dedup.Params{Index: c.Judge, Workers: workers, Named: len(args) != 1}
	return dedupFiles(ctx, cmd, in, size, p, judge, out)
}

func dedupFiles(
	ctx context.Context, cmd *cobra.Command, in *corpus.Reader, size int64, p dedup.Params, judge *dedup.Judge, out *dedupOutputs,
) error {
	began := time.Now()
	bar := newProgress(cmd.ErrOrStderr(), size)
	err := dedup.Run(ctx, p, in, judge, func(o *dedup.Outcome) error {
		bar.documents++
		bytes, _ := in.Read()
		bar.add(int(bytes - bar.bytes))
		return out.add(o)
	})
	bar.end()
	if err = errors.Join(err, out.finish()); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("stopped after %d documents; the outputs hold what was judged so far", out.counts.Documents)
	}
	summary := newDedupSummary(out.counts, time.Since(began))
	if flagBool(cmd, "json") {
		return summary.writeJSON(cmd.OutOrStdout())
	}
	return summary.writeText(cmd.ErrOrStderr())
}

// dedupSummary is what a run of dedup ends with.
type dedupSummary struct {
	Documents          int64   `json:"documents"`
	Unique             int64   `json:"unique"`
	Duplicate          int64   `json:"duplicate"`
	Rejected           int64   `json:"rejected"`
	Seconds            float64 `json:"seconds"`
	DocumentsPerSecond float64 `json:"documents_per_second"`
	PeakRSSBytes       int64   `json:"peak_rss_bytes"`
}

func newDedupSummary(c dedup.Counts, took time.Duration) dedupSummary {
	s := dedupSummary{
		Documents: c.Documents, Unique: c.Unique, Duplicate: c.Duplicate, Rejected: c.Rejected,
		Seconds: took.Seconds(), PeakRSSBytes: peakRSS(),
	}
	if s.Seconds > 0 {
		s.DocumentsPerSecond = float64(s.Documents) / s.Seconds
	}
	return s
}

func (s dedupSummary) writeText(out io.Writer) error {
	_, err := fmt.Fprintf(out, "%s documents: %s unique, %s duplicate, %s rejected, in %.1f s (%s documents/s), peak memory %d MB\n",
		grouped(int(s.Documents)), grouped(int(s.Unique)), grouped(int(s.Duplicate)), grouped(int(s.Rejected)),
		s.Seconds, grouped(int(s.DocumentsPerSecond)), s.PeakRSSBytes>>20)
	return err
}

func (s dedupSummary) writeJSON(out io.Writer) error { return json.NewEncoder(out).Encode(s) }
