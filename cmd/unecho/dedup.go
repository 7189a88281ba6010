package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/memory"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

func dedupCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "dedup FILE...",
		Short: "Find the near-duplicates in files, without Kafka",
		Long: "Find the near-duplicates in files: JSONL, CSV, TSV, plain lines, directories of .txt; gzip and zstd; - is standard\n" +
			"input. Documents are judged in their order by the very core that the service runs, on all cores. Without an output\n" +
			"flag the unique ones go to standard output, unchanged; those of a table below its first line, which comes again where that\n" +
			"of another file differs.\n\n" +
			"Each document is compared with the unique ones before it, and its match is the most similar of them. With --matches\n" +
			"all it is compared with all before it, copies too, and has all its matches; what a chain of matches connects is one\n" +
			"cluster, and one document of it is unique. --max-candidates, -references and -work then have no bound by default. Who is unique is then known at\n" +
			"the end, as with --representative last or longest: until then the documents are in a temporary file ($TMPDIR).\n\n" +
			"New documents against old ones: --index OLD --query NEW judges those of NEW only, against OLD and each other, and says\n" +
			"in which of them the match is. --save-index keeps what was indexed in a file, and --index-file takes it in place of OLD:\n" +
			"build once, query daily. The settings must be the same.\n\n" +
			"--sketch simhash --distance finds pairs beyond the distance that blocks guarantee as well, when all documents are read:\n" +
			"by sorted rotations, completely; it implies --matches all.\n\n" +
			"The whole index is in memory (--memory). What is too much for one machine, or never ends, is the service's job:\n" +
			"see `unecho run --help`.\n\n" +
			"Exit codes: 0 done, 1 failed, 2 a mistake in flags or configuration, or a file that is not there, 130 stopped by Ctrl-C,\n" +
			"141 nobody reads the output any more.",
		Example: "  unecho dedup articles.jsonl > unique.jsonl\n" +
			"  unecho dedup --fields 'Title,Short Description' --threshold 0.8 --pairs pairs.tsv ads.tsv\n" +
			"  find texts -name '*.md' | unecho dedup --files-from - --duplicates -\n" +
			"  unecho dedup --index 2025.jsonl --query today.jsonl --duplicates -\n" +
			"  unecho dedup --index 2025.jsonl --save-index 2025.index\n" +
			"  unecho dedup --index-file 2025.index --query today.jsonl --duplicates -",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runDedup(cmd, args) },
	}
	addCorpusFlags(cmd)
	addDedupFlags(cmd)
	addSettingFlags(cmd, "similarity", "text", "document.max_bytes", "document.invalid_utf8", "document.empty", "document.scope")
	return cmd
}

func addDedupFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringArray("index", nil, "compare with the documents of this file, which are not judged themselves; may be repeated")
	flags.StringArray("query", nil, "judge the documents of this file: the same as FILE; may be repeated")
	flags.String("index-file", "", "compare with the documents of this index, which --save-index wrote")
	flags.String("save-index", "", "write the index, with all documents that entered it, to this file")
	flags.String("matches", "best", "best: the most similar unique document before; all: all documents before that are similar enough")
	flags.String("unique", "", "write the unique documents here, unchanged (- is standard output)")
	flags.String("duplicates", "", "write a JSON line for each duplicate: id, match_id, similarity, method, cluster")
	flags.String("pairs", "", "write a line for each verified match: a, b, similarity, separated by tabs")
	flags.String("clusters", "", "write a line for each document: id, cluster, separated by a tab")
	flags.String("rejected", "", "write a JSON line for each document that cannot be compared: id, reason, detail")
	flags.String("representative", "first", "which document of a cluster is its unique one: first, last or longest; one of the index, if there is one")
	flags.String("memory", "4GiB", "what the index may take; it is an error if it does not suffice")
	flags.Int("workers", 0, "goroutines that read and sign; 0 is one for each core")
	flags.Bool("verbose", false, "show each verified pair on standard error, with both sketches in bits (of a MinHash the lowest of each slot)")
	flags.Bool("json", false, "the summary as one JSON object on the last line")
	offer(cmd, "matches", "best", "all")
	offer(cmd, "representative", "first", "last", "longest")
}

// dedupRun is one run of the verb.
type dedupRun struct {
	dedupOptions
	cmd       *cobra.Command
	began     time.Time
	judge     dedup.Judge
	index     *dedup.Index // the same as judge, if it is one
	out       *dedup.Outputs
	documents int64 // read so far
}

func runDedup(cmd *cobra.Command, args []string) (err error) {
	ctx, stop := exit.UntilSignal(cmd.Context(), cmd.ErrOrStderr())
	defer stop()
	defer exit.MarkInterrupted(ctx, &err)
	r := &dedupRun{cmd: cmd, began: time.Now()}
	if r.dedupOptions, err = dedupOptionsOf(cmd, args); err != nil {
		return err
	}
	old, query, err := r.open()
	if err != nil {
		return err
	}
	if err := r.makeJudge(); err != nil {
		return err
	}
	if r.out, err = dedup.OpenOutputs(r.outputs()); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.out.Close()) }()
	r.params.Whole = r.out.KeepsUnique()
	if err := r.judgeAll(ctx, old, query); err != nil {
		return r.explained(err)
	}
	return r.summarise()
}

// outputs are what the flags ask for; if they ask for nothing, the unique documents go to standard output.
func (r *dedupRun) outputs() dedup.OutputParams {
	p := dedup.OutputParams{
		Paths: map[string]string{}, Stdout: r.cmd.OutOrStdout(), Similarity: r.config.Judge.Similarity, All: r.all, Representative: r.representative,
	}
	for _, name := range dedup.OutputNames() {
		if path := r.cmd.Flag(name).Value.String(); path != "" {
			p.Paths[name] = path
		}
	}
	if len(p.Paths) == 0 && r.save == "" && !flagBool(r.cmd, "json") {
		p.Paths["unique"] = corpus.Stdin
	}
	if r.verbose {
		p.Shown = r.cmd.ErrOrStderr()
	}
	return p
}

// makeJudge makes what the documents are judged by.
func (r *dedupRun) makeJudge() (err error) {
	if r.rotated {
		r.judge, err = dedup.NewRotations(dedup.RotationsParams{
			Index: r.config.Judge, Distance: r.distance, Memory: r.memory, Pairs: r.verbose || r.cmd.Flag("pairs").Changed,
		})
		return err
	}
	if r.index, err = r.makeIndex(); err != nil {
		return err
	}
	r.judge = r.index
	return nil
}

// judgeAll reads everything and writes what is to be written.
func (r *dedupRun) judgeAll(ctx context.Context, old, query *files) error {
	if old != nil {
		if err := r.read(ctx, old, r.out.Remember); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return errors.New("stopped before all of the index was read; nothing was judged")
		}
		r.judge.Begin()
	}
	r.out.Judge(r.judge.First())
	if err := r.judgeQuery(ctx, query); err != nil {
		return errors.Join(err, r.out.Flush())
	}
	if ctx.Err() != nil && !r.out.Begun {
		return errors.New("stopped after 0 documents; nothing is written")
	}
	if err := r.out.Finish(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return fmt.Errorf("stopped after %s; the outputs hold what was judged so far", terminal.Several(int(r.out.Counts.Documents), "document"))
	}
	return r.keep(ctx)
}

func (r *dedupRun) judgeQuery(ctx context.Context, query *files) (err error) {
	if query != nil {
		err = r.read(ctx, query, r.out.Add)
	}
	if rotations, ok := r.judge.(*dedup.Rotations); ok && err == nil && ctx.Err() == nil {
		err = r.rotate(ctx, rotations)
	}
	return err
}

func (r *dedupRun) rotate(ctx context.Context, rotations *dedup.Rotations) error {
	bar := terminal.NewStages(r.cmd.ErrOrStderr())
	bar.Hidden = r.verbose || r.out.OnTerminal()
	defer bar.End()
	name := fmt.Sprintf("comparing sketches in %d rotations", rotations.Count())
	err := rotations.Finish(ctx, r.params.Workers, func(done, all int64) { bar.Stage(name, done, all) }, r.out.Match)
	if errors.Is(err, context.Canceled) {
		return errors.New("stopped before all documents were compared: which of them are unique is not known")
	}
	return err
}

// read judges the documents of files.
func (r *dedupRun) read(ctx context.Context, in *files, each func(*dedup.Outcome) error) (err error) {
	defer func() { err = errors.Join(err, in.reader.Close()) }()
	bar := terminal.NewProgress(r.cmd.ErrOrStderr(), in.size)
	bar.Hidden = r.verbose || r.out.OnTerminal()
	defer bar.End()
	return dedup.Run(ctx, r.params, in.reader, r.judge, func(o *dedup.Outcome) error {
		bar.Documents++
		bytes, files := in.reader.Read()
		bar.Files = files
		bar.At(bytes)
		if r.documents++; r.index != nil && r.documents%garbageDocuments == 0 {
			memory.SetGarbage(r.index.Stats().Memory)
		}
		return each(o)
	})
}

// garbageDocuments is after how many documents the collector is set anew.
const garbageDocuments = 1 << 14

// explained adds to an error what to do about it, and what the outputs hold.
func (r *dedupRun) explained(err error) error {
	if errors.Is(err, dedup.ErrMemory) && r.rotated {
		return fmt.Errorf("%w: raise --memory, or lower --distance", err)
	}
	if errors.Is(err, dedup.ErrMemory) {
		return fmt.Errorf("%w: raise --memory, or keep less of each document by --verify estimate; a stream without end is for `unecho run`", err)
	}
	return err
}

func (r *dedupRun) summarise() error {
	r.out.Refused.Tell(r.cmd.ErrOrStderr(), "")
	s := dedup.NewSummary(r.out.Counts, r.judge.First(), r.documents, time.Since(r.began))
	s.Algorithm = r.config.Judge.Algorithm()
	if r.index != nil {
		s.UniqueCut = r.index.Stats().UniqueCut
	}
	if rotations, ok := r.judge.(*dedup.Rotations); ok {
		s.Rotations = rotations.Count()
	}
	if flagBool(r.cmd, "json") {
		return s.WriteJSON(r.cmd.OutOrStdout())
	}
	return s.WriteText(r.cmd.ErrOrStderr())
}
