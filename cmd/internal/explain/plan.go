package explain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/window"
)

// PlanCommand is the verb.
func PlanCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "plan [FILE...]",
		Short: "Say how many documents the window holds in its memory, or how much memory so many take",
		Long: "Say how many documents the window holds in duplicates.remember.memory, or with --documents how many bytes so many take, " +
			"for given\n" +
			"settings, and how much their snapshot takes. What is the same for all documents is exact; how much their ids and evidence\n" +
			"take is measured on the documents in FILEs, or given by flags. With verify: estimate the evidence is the same for all, too.\n" +
			"With duplicates.remember.directory, or --disk-reads, it also says what memory and disk a member takes that keeps old\n" +
			"documents in files, what rate of documents the disk carries, and after how long a new member is ready.",
		Example: "  unecho plan --verify estimate --memory 4GiB\n" +
			"  unecho plan --config unecho.yaml --documents 10000000 sample.jsonl\n" +
			"  unecho plan --memory 50GiB --disk-reads 3000 sample.jsonl",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runPlan(cmd, args) },
	}
	cmdline.AddFileFlags(cmd)
	cmdline.Add(cmd, cmdline.Input, func(f cmdline.Flags) {
		f.Int64("documents", 0, "say what so many documents take")
		f.Int("id-bytes", 16, "bytes of an id, where no FILE tells")
		f.Int("evidence-bytes", 0, "bytes of evidence, where no FILE tells")
		f.Int("disk-reads", 3000, "random reads of 4 KiB a second of the disk of duplicates.remember.directory")
	})
	cmdline.AddJSON(cmd, "the plan as one JSON object")
	cmdline.AddSettings(cmd, "duplicates", "normalize", "duplicates.remember", "advanced.max_document_bytes", "sources.reject")
	return cmd
}

func runPlan(cmd *cobra.Command, args []string) error {
	return cmdline.RunFiles(cmd, args, config.Default(), PlanRules(), func(ctx context.Context, c config.Config) error {
		documents := cmdline.Int64(cmd, "documents")
		if documents < 0 {
			return exit.Usage(fmt.Errorf("--documents %d: write a number above 0", documents))
		}
		if documents == 0 && c.Judge.Duplicates.Remember.Memory == 0 {
			return exit.Usage(errors.New("duplicates.remember.memory is 0: name --memory, or --documents"))
		}
		p, err := New(c.Judge)
		if err != nil {
			return err
		}
		if err := measure(ctx, cmd, args, c, p); err != nil {
			return err
		}
		if err := p.Finish(documents); err != nil {
			return err
		}
		if cmd.Flag("disk-reads").Changed || c.Judge.Duplicates.Remember.Directory != "" {
			reads := cmdline.Int(cmd, "disk-reads")
			if reads <= 0 {
				return exit.Usage(fmt.Errorf("--disk-reads %d: write a number above 0", reads))
			}
			if err := p.InFiles(reads); err != nil {
				return err
			}
		}
		return cmdline.Print(cmd, p)
	})
}

// measure finds what a document takes: the mean of those in the files, or what the flags say.
func measure(ctx context.Context, cmd *cobra.Command, args []string, c config.Config, p *Plan) error {
	if len(args) == 0 && cmdline.Text(cmd, "files-from") == "" {
		return p.Assume(cmdline.Int(cmd, "id-bytes"), cmdline.Int(cmd, "evidence-bytes"))
	}
	err := cmdline.EachRecord(ctx, cmd, args, c, nil, func(r *corpus.Record) error {
		p.Add(r)
		return nil
	})
	if err != nil {
		return err
	}
	return p.Measured()
}

// PlanRules say when each flag decides something: by what is measured in files or by what flags say.
func PlanRules() []cmdline.Rule {
	measured := func(g *cmdline.Asked) bool { return len(g.Paths) > 0 || g.Has("files-from") }
	return slices.Concat([]cmdline.Rule{
		{
			Flags: "format fields id delimiter lenient-quotes strict include null max-document-bytes reject", When: measured,
			Why: "is about files, and none is named: leave it out",
		},
		{Flags: "id-bytes evidence-bytes", When: func(g *cmdline.Asked) bool { return !measured(g) }, Why: "is measured in the files: leave it out"},
		{Flags: "max-candidates max-work", When: cmdline.Never, Why: "is about how documents are compared, and none are: leave it out"},
		{
			Flags: "disk-reads", When: func(g *cmdline.Asked) bool { return !g.Config.Judge.Refreshes() },
			Why: "is about duplicates.remember.directory, which does not go with refresh: last: leave out one of them",
		},
		{Flags: "documents json html age memory duplicates-remember-documents clock keys refresh reemit-every compare-copies"},
	}, cmdline.SettingRules(), cmdline.JudgeRules(), cmdline.FileRules())
}

// Plan is the result of `unecho plan`.
type Plan struct {
	Bands       int         `json:"bands"`
	Rows        int         `json:"rows,omitempty"`
	Found       []found     `json:"found,omitempty"`
	Sample      int64       `json:"sample"`               // documents measured
	Candidates  *float64    `json:"candidates,omitempty"` // share of the pairs of these documents that are
	Parts       index.Parts `json:"bytes_per_document"`
	PerDocument int64       `json:"bytes"`
	Documents   int64       `json:"documents"`
	WindowBytes int64       `json:"window_bytes"`
	Snapshot    int64       `json:"snapshot_bytes"`
	Costs       *Costs      `json:"costs,omitempty"`
	Filed       *filed      `json:"files,omitempty"` // with duplicates.remember.directory

	describe string       // how candidates are found
	given    index.Params // with what is left open
	params   index.Params
	likeness likeness
	signer   *index.Signer
	sum      index.Parts // of the documents measured
	asked    bool        // for Documents
}

type found struct {
	Similarity float64  `json:"similarity"`
	Share      float64  `json:"share"`
	Least      *float64 `json:"least,omitempty"` // at worst, with verify: levenshtein
}

// New begins a plan for these settings: documents are added to it, or their sizes assumed, before it is finished.
func New(judge index.Params) (*Plan, error) {
	planned, err := judge.Planned()
	if err != nil {
		return nil, err
	}
	signer, err := index.NewSigner(planned)
	if err != nil {
		return nil, err
	}
	p := &Plan{given: judge, params: planned, signer: signer}
	p.likeness, err = newLikeness(planned)
	return p, err
}

// Positions and times as large as those of a service that has run for a while, because their lengths count.
const (
	plannedOffset = 1_000_000_000
	plannedTime   = 1_800_000_000_000 // ms since 1970: in 2027
)

// Add measures a document; one that would be rejected takes no memory.
func (p *Plan) Add(r *corpus.Record) {
	e := entry.Entry{Offset: plannedOffset, Time: plannedTime, Scope: r.Scope, ID: r.ID}
	if r.Bad != nil || !p.signer.Sign(&e, r.Text) || e.Empty() {
		return
	}
	p.sum = add(p.sum, index.PartsOf(p.params, &e))
	p.Sample++
	p.likeness.add(r, e.Keys)
	p.signer.Reset()
}

// Measured sets the sizes to the mean of the documents that were added.
func (p *Plan) Measured() error {
	if p.Sample == 0 {
		return errors.New("there is no document to measure")
	}
	p.Parts, p.Candidates = mean(p.sum, p.Sample), p.likeness.candidates()
	return nil
}

// Assume sets the sizes of id and evidence if there is nothing to measure.
func (p *Plan) Assume(id, evidence int) error {
	if id < 0 || evidence < 0 {
		return exit.Usage(errors.New("--id-bytes and --evidence-bytes: write numbers from 0"))
	}
	e := entry.Entry{Offset: plannedOffset, Time: plannedTime, ID: make([]byte, id)}
	p.signer.Sign(&e, []byte("a text long enough for a shingle of any length that is allowed, whatever it is made of"))
	switch verify := p.params.Duplicates.Verify; {
	case evidence > 0:
		e.Evidence = make([]byte, evidence)
	case verify != "estimate":
		return exit.Usage(fmt.Errorf("verify: %s keeps evidence of each document, which depends on your texts: name a FILE "+
			"with some of them, or --evidence-bytes",
			verify))
	}
	p.Parts = index.PartsOf(p.params, &e)
	return nil
}

// countedTimes is how many times the bytes of a window are counted at most: in files it takes more.
const countedTimes = 16

// Finish computes how much memory this many documents take, or for 0 documents, how many the window holds.
func (p *Plan) Finish(documents int64) error {
	if err := p.bands(p.params.Duplicates); err != nil {
		return err
	}
	p.PerDocument, p.asked = p.Parts.Sum(), documents > 0
	if most := min(window.MostDocuments, math.MaxInt64/countedTimes/p.PerDocument); documents > most {
		return exit.Usage(fmt.Errorf("--documents %d: a window holds %d such documents at most: write less", documents, most))
	}
	if p.Documents, p.WindowBytes = documents, documents*p.PerDocument; !p.asked {
		p.WindowBytes = int64(p.params.Duplicates.Remember.Memory)
		p.Documents = p.WindowBytes / p.PerDocument
	}
	p.Snapshot = p.Documents * p.Parts.Stored()
	return nil
}

func add(a, b index.Parts) index.Parts {
	return index.Parts{
		Entry: a.Entry + b.Entry, ID: a.ID + b.ID, Evidence: a.Evidence + b.Evidence, Keys: a.Keys + b.Keys,
		Digest: a.Digest + b.Digest, Buckets: a.Buckets + b.Buckets, Bookkeeping: a.Bookkeeping + b.Bookkeeping,
	}
}

// mean is rounded up, so that a plan does not promise too much.
func mean(sum index.Parts, n int64) index.Parts {
	up := func(v int64) int64 { return (v + n - 1) / n }
	return index.Parts{
		Entry: up(sum.Entry), ID: up(sum.ID), Evidence: up(sum.Evidence), Keys: up(sum.Keys),
		Digest: up(sum.Digest), Buckets: up(sum.Buckets), Bookkeeping: up(sum.Bookkeeping),
	}
}

// bands finds how candidates are found.
func (p *Plan) bands(s index.DuplicatesParams) error {
	p.Bands = int(p.Parts.Keys) / entry.KeyBytes
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
	if p.Costs, err = p.costs(banding); err != nil {
		return err
	}
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

// Text is for people.
func (p *Plan) Text() string {
	var b strings.Builder
	s := p.params.Duplicates
	b.WriteString(p.describe + "\n")
	if p.Rows > 0 {
		p.writeFound(&b)
	}
	if p.Candidates != nil {
		fmt.Fprintf(&b, "candidates  %.4f of the pairs of documents in the sample\n", *p.Candidates)
	}
	if p.Costs != nil {
		p.Costs.write(&b, s.MaxReferences)
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
		{p.Parts.Digest, "digest, by which unlike documents are told apart"},
		{p.Parts.Buckets, "places in the buckets"},
		{p.Parts.Bookkeeping, "bookkeeping"},
	} {
		fmt.Fprintf(&b, "%6d   %s\n", part.bytes, part.what)
	}
	if p.asked {
		fmt.Fprintf(&b, "\n%d documents take duplicates.remember.memory: %d (%s)\n", p.Documents, p.WindowBytes,
			terminal.Gibibytes(p.WindowBytes))
	} else {
		fmt.Fprintf(&b, "\nduplicates.remember.memory: %v holds %d documents\n", setting.Bytes(p.WindowBytes), p.Documents)
	}
	fmt.Fprintf(&b, "their snapshot takes %s: see Snapshots in deploy/docs/change.md\n", terminal.Gibibytes(p.Snapshot))
	if p.Filed != nil {
		p.Filed.write(&b)
	}
	return b.String()
}
