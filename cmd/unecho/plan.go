package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
)

func planCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan [FILE...]",
		Short: "Say how many documents the window holds in its memory, or how much memory so many take",
		Long: "Say how many documents the window holds in window.bytes, or with --documents how many bytes so many take, for given\n" +
			"settings. What is the same for all documents is exact; how much their ids and evidence take is measured on the\n" +
			"documents in FILEs, or given by flags. With verify: estimate the evidence is the same for all, too.",
		Example: "  unecho plan --verify estimate --bytes 4GiB\n" +
			"  unecho plan --config unecho.yaml --documents 10000000 sample.jsonl",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runPlan(cmd, args) },
	}
	addCorpusFlags(cmd)
	flags := cmd.Flags()
	flags.Int64("documents", 0, "say what so many documents take")
	flags.Int("id-bytes", 16, "bytes of an id, where no FILE tells")
	flags.Int("evidence-bytes", 0, "bytes of evidence, where no FILE tells")
	flags.Bool("json", false, "the plan as one JSON object")
	addSettingFlags(cmd, "similarity", "text", "window", "document.max_bytes", "document.invalid_utf8")
	return cmd
}

// plan is what `unecho plan` says.
type plan struct {
	Bands       int         `json:"bands"`
	Rows        int         `json:"rows,omitempty"`
	Found       []found     `json:"found,omitempty"`
	Sample      int64       `json:"sample"`               // documents measured
	Candidates  *float64    `json:"candidates,omitempty"` // share of the pairs of them that are
	Parts       index.Parts `json:"bytes_per_document"`
	PerDocument int64       `json:"bytes"`
	Documents   int64       `json:"documents"`
	WindowBytes int64       `json:"window_bytes"`

	describe string
	params   index.Params
	met      met
}

// found is a point of the S-curve.
type found struct {
	Similarity float64  `json:"similarity"`
	Share      float64  `json:"share"`
	Least      *float64 `json:"least,omitempty"` // at worst, with verify: levenshtein
}

func runPlan(cmd *cobra.Command, args []string) (err error) {
	ctx, stop := exit.UntilSignal(cmd.Context(), cmd.ErrOrStderr())
	defer stop()
	defer exit.MarkInterrupted(ctx, &err)
	c, err := settingsOf(cmd, config.Default())
	if err != nil {
		return err
	}
	documents, err := cmd.Flags().GetInt64("documents")
	if err != nil {
		return err
	}
	if documents < 0 {
		return exit.Usage(fmt.Errorf("--documents %d: write a number above 0", documents))
	}
	if documents == 0 && c.Judge.Window.Bytes == 0 {
		return exit.Usage(errors.New("window.bytes is 0: name --bytes, or --documents"))
	}
	p := plan{params: c.Judge}
	if err := p.measure(ctx, cmd, args, c); err != nil {
		return err
	}
	if err := p.bands(c.Judge.Similarity); err != nil {
		return err
	}
	p.PerDocument = p.Parts.Sum()
	if p.Documents, p.WindowBytes = documents, documents*p.PerDocument; documents == 0 {
		p.WindowBytes = int64(c.Judge.Window.Bytes)
		p.Documents = p.WindowBytes / p.PerDocument
	}
	if flagBool(cmd, "json") {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(p)
	}
	return p.write(cmd.OutOrStdout(), documents > 0)
}

// measure finds what a document takes: the mean of those in the files, or what the flags say.
func (p *plan) measure(ctx context.Context, cmd *cobra.Command, args []string, c config.Config) error {
	signer, err := index.NewSigner(c.Judge)
	if err != nil {
		return err
	}
	if len(args) == 0 && cmd.Flag("files-from").Value.String() == "" {
		return p.assume(cmd, c.Judge, signer)
	}
	in, _, err := openCorpus(cmd, args, c, nil)
	if err != nil {
		return err
	}
	var sum index.Parts
	err = corpus.Each(ctx, in, func(r *corpus.Record) error {
		e := entry.Entry{Offset: plannedOffset, Time: plannedTime, Scope: r.Scope, ID: r.ID}
		if r.Bad != nil || !signer.Sign(&e, r.Text) || e.Empty() {
			return nil
		}
		sum = add(sum, index.PartsOf(c.Judge, &e))
		p.Sample++
		p.met.add(e.Keys)
		signer.Reset()
		return nil
	})
	if err = errors.Join(err, in.Close()); err != nil {
		return err
	}
	if p.Sample == 0 {
		return errors.New("there is no document to measure")
	}
	p.Parts, p.Candidates = mean(sum, p.Sample), p.met.share(c.Judge.Similarity.KeyBytes)
	return nil
}

// What the documents of a service that has run for a while have: their lengths count.
const (
	plannedOffset = 1_000_000_000
	plannedTime   = 1_800_000_000_000 // ms since 1970: in 2027
)

// assume takes the sizes of id and evidence from the flags.
func (p *plan) assume(cmd *cobra.Command, judge index.Params, signer *index.Signer) error {
	id, err := cmd.Flags().GetInt("id-bytes")
	if err != nil {
		return err
	}
	evidence, err := cmd.Flags().GetInt("evidence-bytes")
	if err != nil {
		return err
	}
	if id < 0 || evidence < 0 {
		return exit.Usage(errors.New("--id-bytes and --evidence-bytes: write numbers from 0"))
	}
	e := entry.Entry{Offset: plannedOffset, Time: plannedTime, ID: make([]byte, id)}
	signer.Sign(&e, []byte("a text long enough for a shingle of any length that is allowed, whatever it is made of"))
	switch {
	case evidence > 0:
		e.Evidence = make([]byte, evidence)
	case judge.Similarity.Verify != "estimate":
		return exit.Usage(fmt.Errorf("verify: %s keeps evidence of each document, which depends on your texts: name a FILE with some of them, or --evidence-bytes",
			judge.Similarity.Verify))
	}
	p.Parts = index.PartsOf(judge, &e)
	return nil
}

func add(a, b index.Parts) index.Parts {
	return index.Parts{
		Entry: a.Entry + b.Entry, ID: a.ID + b.ID, Evidence: a.Evidence + b.Evidence, Keys: a.Keys + b.Keys,
		Buckets: a.Buckets + b.Buckets, Bookkeeping: a.Bookkeeping + b.Bookkeeping,
	}
}

// mean is rounded up: a plan does not promise too much.
func mean(sum index.Parts, n int64) index.Parts {
	up := func(v int64) int64 { return (v + n - 1) / n }
	return index.Parts{
		Entry: up(sum.Entry), ID: up(sum.ID), Evidence: up(sum.Evidence), Keys: up(sum.Keys),
		Buckets: up(sum.Buckets), Bookkeeping: up(sum.Bookkeeping),
	}
}

// bands finds how candidates are found.
func (p *plan) bands(s index.SimilarityParams) error {
	p.Bands = int(p.Parts.Keys) / s.KeyBytes
	scheme, params, err := s.Scheme()
	if err != nil {
		return err
	}
	if p.describe, err = scheme.Describe(params); err != nil || scheme.ByDistance() {
		return err
	}
	banding, err := scheme.Banding(params)
	if err != nil {
		return err
	}
	p.Rows = banding.Rows
	for percent := 50; percent <= 100; percent += 5 {
		similarity := float64(percent) / 100
		expected, least, ok := s.SharedAt(similarity)
		if !ok {
			return nil
		}
		point := found{Similarity: similarity, Share: banding.Probability(expected)}
		if least < expected {
			share := banding.Probability(least)
			point.Least = &share
		}
		p.Found = append(p.Found, point)
	}
	return nil
}

func (p *plan) write(out io.Writer, asked bool) error {
	var b strings.Builder
	s := p.params.Similarity
	b.WriteString(p.describe + "\n")
	if p.Rows > 0 {
		p.writeFound(&b)
	}
	if p.Candidates != nil {
		fmt.Fprintf(&b, "candidates  %.4f of the pairs of documents in the sample\n", *p.Candidates)
	}
	from := "by the flags"
	if p.Sample > 0 {
		from = fmt.Sprintf("on average of %d", p.Sample)
	}
	fmt.Fprintf(&b, "\n%6d bytes a document, %s\n", p.PerDocument, from)
	for _, part := range []struct {
		bytes int64
		what  string
	}{
		{p.Parts.Entry, "offset, time, hash of the text"},
		{p.Parts.ID, "id"},
		{p.Parts.Evidence, "evidence, for verify: " + s.Verify},
		{p.Parts.Keys, fmt.Sprintf("keys of %d bands", p.Bands)},
		{p.Parts.Buckets, "places in the buckets"},
		{p.Parts.Bookkeeping, "bookkeeping"},
	} {
		fmt.Fprintf(&b, "%6d   %s\n", part.bytes, part.what)
	}
	if asked {
		fmt.Fprintf(&b, "\n%d documents take window.bytes: %d (%s)\n", p.Documents, p.WindowBytes, terminal.Gibibytes(p.WindowBytes))
	} else {
		fmt.Fprintf(&b, "\nwindow.bytes: %v holds %d documents\n", setting.Bytes(p.WindowBytes), p.Documents)
	}
	_, err := io.WriteString(out, b.String())
	return err
}
