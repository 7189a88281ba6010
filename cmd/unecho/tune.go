package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/tune"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/text"
)

func tuneCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "tune FILE...",
		Short: "Try settings on your own documents, and recommend one",
		Long: "Try settings on your own documents, each held against the exact truth, and recommend one. Flags take lists, and each\n" +
			"combination is tried; for each setting and threshold there are three rows: candidates (pairs that share a band key),\n" +
			"estimate (of them, those whose estimated similarity reaches the threshold) and verified (whose exact one does).",
		Example: "  unecho tune articles.jsonl\n" +
			"  unecho tune --shingle word:2,word:3,char:5 --threshold 0.7,0.8,0.9 --html report.html articles.jsonl\n" +
			"  unecho tune --sketch minhash,simhash --by memory --yaml unecho.yaml --sample 20000 articles.jsonl",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runTune(cmd, args) },
	}
	addCorpusFlags(cmd)
	flags := cmd.Flags()
	flags.StringSlice("shingle", []string{"word:2", "word:3", "char:5"}, "auto:N, word:N, char:K")
	flags.StringSlice("hash", []string{"xxhash"}, "xxhash, murmur3")
	flags.StringSlice("sketch", []string{tune.MinHash}, "minhash, simhash")
	flags.IntSlice("slots", []int{64, 128, 256}, "slots of minhash")
	flags.IntSlice("bands", []int{0}, "bands of minhash, as many rows as fit; 0 is what the service plans for the recall")
	flags.IntSlice("bits", []int{64}, "bits of simhash")
	flags.IntSlice("distance", []int{3}, "bits in which simhashes may differ")
	flags.Float64Slice("threshold", []float64{0.7, 0.8, 0.9}, "similarities from which two documents are duplicates")
	flags.String("by", tune.ByF1, "recommend by "+strings.Join(tune.Bys(), ", "))
	flags.Float64("at", 0, "recommend for this threshold (default similarity.threshold if it is tried, else the first)")
	flags.Int("sample", 100_000, "take so many documents, at random; 0 takes all")
	flags.Uint64("seed", 1, "of the sample, and of the order under --budget")
	flags.Duration("budget", 0, "try settings in a random order until this time is over; 0 tries all")
	flags.Bool("brute-force", false, "compare each document with each as well, to see time and pairs beside the exact join")
	flags.String("html", "", "write a page with plots here")
	flags.String("yaml", "", "write the recommended settings here")
	flags.Bool("json", false, "the report as one JSON object instead of the table")
	addSettingFlags(cmd, "similarity.recall", "similarity.code_bits", "similarity.key_bytes", "similarity.verify", "text",
		"document.max_bytes", "document.invalid_utf8")
	return cmd
}

func runTune(cmd *cobra.Command, args []string) (err error) {
	ctx, stop := untilSignal(cmd.Context(), cmd.ErrOrStderr())
	defer stop()
	c, err := settingsOf(cmd, config.Default())
	if err != nil {
		return err
	}
	p, err := tuneParams(cmd, c)
	if err != nil {
		return err
	}
	documents, err := sampleDocuments(ctx, cmd, args, c)
	if err != nil {
		return err
	}
	if len(documents) == 0 {
		return errors.New("there is no document to try settings on")
	}
	tuner := &tune.Tuner{
		Params: p, Documents: documents, Set: text.Set,
		Shingler: func(shingle, hash string) (tune.Shingler, error) { return newShingler(c.Judge, shingle, hash) },
		Progress: func(int, int) {},
	}
	if out := cmd.ErrOrStderr(); terminal(out) {
		tuner.Progress = func(done, all int) { fmt.Fprintf(out, "\r\x1b[K%d of %d settings", done, all) }
		defer fmt.Fprint(out, "\r\x1b[K")
	}
	report, err := tuner.Run(ctx)
	if err != nil {
		return err
	}
	return writeTuning(cmd, report)
}

func tuneParams(cmd *cobra.Command, c config.Config) (tune.Params, error) {
	flags := cmd.Flags()
	var wrong []error
	p := tune.Params{
		Recall: c.Judge.Similarity.Recall, CodeBits: c.Judge.Similarity.CodeBits, KeyBytes: c.Judge.Similarity.KeyBytes,
		By: must(flags.GetString("by"))(&wrong), BruteForce: must(flags.GetBool("brute-force"))(&wrong),
		Budget: must(flags.GetDuration("budget"))(&wrong), Seed: must(flags.GetUint64("seed"))(&wrong),
		Stage: tune.Verified, Workers: runtime.GOMAXPROCS(0), Most: mostCandidates,
		Grid: tune.Grid{
			Shingles: must(flags.GetStringSlice("shingle"))(&wrong), Hashes: must(flags.GetStringSlice("hash"))(&wrong),
			Sketches: must(flags.GetStringSlice("sketch"))(&wrong), Slots: must(flags.GetIntSlice("slots"))(&wrong),
			Bands: must(flags.GetIntSlice("bands"))(&wrong), Bits: must(flags.GetIntSlice("bits"))(&wrong),
			Distances: must(flags.GetIntSlice("distance"))(&wrong), Thresholds: must(flags.GetFloat64Slice("threshold"))(&wrong),
		},
	}
	p.At = must(flags.GetFloat64("at"))(&wrong)
	if p.At == 0 && len(p.Grid.Thresholds) > 0 {
		p.At = p.Grid.Thresholds[max(0, slices.Index(p.Grid.Thresholds, c.Judge.Similarity.Threshold))]
	}
	if c.Judge.Similarity.Verify == "estimate" {
		p.Stage = tune.Estimate
	}
	if err := errors.Join(wrong...); err != nil {
		return p, err
	}
	if err := p.Validate(); err != nil {
		return p, usageError{err}
	}
	return p, nil
}

// mostCandidates of a setting: it is given up beyond them, as it would take minutes and be of no use.
const mostCandidates = 50_000_000

// must gathers the error of a call, so that several can stand in a row.
func must[T any](v T, err error) func(*[]error) T {
	return func(all *[]error) T {
		if err != nil {
			*all = append(*all, err)
		}
		return v
	}
}

// newShingler makes what turns a document into the hashes of its shingles.
func newShingler(p index.Params, shingle, hash string) (tune.Shingler, error) {
	p.Similarity.Shingle, p.Similarity.Hash = shingle, hash
	shingling, err := p.Similarity.Shingling()
	if err != nil {
		return nil, usageError{err}
	}
	normalizer := text.NewNormalizer(p.Text)
	var normalized []byte
	return func(dst []uint64, document []byte) []uint64 {
		normalized = normalizer.Append(normalized[:0], document)
		return shingling.AppendHashes(dst, normalized)
	}, nil
}

// sampleDocuments reads the documents, and keeps so many as are asked for: each has the same chance (Vitter 1985, algorithm
// R). Those that cannot be compared are passed over.
func sampleDocuments(ctx context.Context, cmd *cobra.Command, args []string, c config.Config) (sample [][]byte, err error) {
	most, err := cmd.Flags().GetInt("sample")
	if err != nil {
		return nil, err
	}
	seed, err := cmd.Flags().GetUint64("seed")
	if err != nil {
		return nil, err
	}
	in, err := openCorpus(cmd, args, c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	random, met := rand.New(rand.NewPCG(seed, 0)), 0
	err = corpus.Each(ctx, in, func(r *corpus.Record) error {
		if r.Bad != nil {
			return nil
		}
		met++
		if most == 0 || len(sample) < most {
			sample = append(sample, slices.Clone(r.Text))
		} else if i := random.IntN(met); i < most {
			sample[i] = append(sample[i][:0], r.Text...)
		}
		return nil
	})
	return sample, err
}

func writeTuning(cmd *cobra.Command, report *tune.Report) error {
	if path := cmd.Flag("html").Value.String(); path != "" {
		if err := writeResult(path, report.WritePage); err != nil {
			return err
		}
	}
	if path := cmd.Flag("yaml").Value.String(); path != "" && report.Recommended != nil {
		err := writeResult(path, func(out io.Writer) error {
			_, err := io.WriteString(out, report.Recommended.YAML())
			return err
		})
		if err != nil {
			return err
		}
	}
	if flagBool(cmd, "json") {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(report)
	}
	if err := report.WriteTable(cmd.OutOrStdout()); err != nil {
		return err
	}
	_, err := fmt.Fprintf(cmd.ErrOrStderr(), "%d documents, %d settings in %s\n", report.Documents, len(report.Rows)/3,
		time.Duration(report.Seconds*float64(time.Second)).Round(time.Millisecond))
	return err
}

// writeResult writes a file anew.
func writeResult(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return nil
}
