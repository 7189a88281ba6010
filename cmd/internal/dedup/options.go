package dedup

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/sketch"
)

// Options are what a command line asks for.
type Options struct {
	Config         config.Config
	Memory         setting.Bytes // what the index may take
	Workers        int
	All            bool // a document has all its matches, not only the best
	EachPair       bool // Distance is beyond what blocks guarantee
	Distance       int  // then
	Representative Representative
	Verbose        bool
	Old, Query     []string
	List           string // the file with names of files
	Load, Save     string // the files of the index
	Pairs, JSON    bool
	HTML           string // the file of the page
	Duplicates     bool   // the most similar document of each is wanted
	Keep           bool   // documents that cannot be compared are among the unique ones
	// where old documents lie that do not fit into Memory; nil: all must fit
	Directory *files.Directory
	Shown     func(stage string, done, total int64) // as that of IndexParams
}

// CompareEach takes a distance that is refused for blocks: each sketch is compared with each. o.Config has a smaller one.
func (o *Options) CompareEach(distance int) error {
	if _, err := sketch.NewEachPair(o.Config.Judge.Duplicates.Bits, distance); err != nil {
		return exit.Usage(fmt.Errorf("--distance: %w", err))
	}
	o.EachPair, o.Distance = true, distance
	return nil
}

// Choose sets the representative and the matches by their words.
func (o *Options) Choose(representative, matches string) error {
	known := map[string]Representative{"first": First, "last": Last, "longest": Longest}
	var ok bool
	if o.Representative, ok = known[representative]; !ok {
		return exit.Usage(fmt.Errorf("--representative %s: write first, last or longest", representative))
	}
	if matches != "best" && matches != "all" {
		return exit.Usage(fmt.Errorf("--matches %s: write best or all", matches))
	}
	if matches == "all" {
		o.Config.Judge.Duplicates.CompareCopies = true
	}
	o.All = matches == "all" || o.EachPair
	return nil
}

// Check refuses options that contradict each other.
func (o *Options) Check() error {
	stdins := 0
	for _, path := range slices.Concat(o.Old, o.Query, []string{o.List, o.Load}) {
		if path == corpus.Stdin {
			stdins++
		}
	}
	switch {
	case stdins > 1:
		return exit.Usage(errors.New("standard input can be read once only: name it once"))
	case o.Save == corpus.Stdin:
		return exit.Usage(errors.New("--save-index wants a file of its own, not standard output"))
	case len(o.Old) > 0 && o.Load != "":
		return exit.Usage(errors.New("--index reads documents and --index-file an index: name one of them"))
	case o.EachPair && o.Load+o.Save != "":
		return exit.Usage(errors.New(
			"a distance beyond that of blocks has no index to save or to load: use --index, or a smaller --distance"))
	case o.Verbose && o.Load != "":
		return exit.Usage(errors.New("--verbose shows sketches, which an index file does not hold: use --index"))
	case len(o.Query) == 0 && o.List == "" && (o.Save == "" || len(o.Old) == 0):
		return exit.Usage(errors.New("no file is named; - is standard input"))
	}
	return nil
}

// Only says whether nothing is judged: an index is built and saved.
func (o *Options) Only() bool { return len(o.Query) == 0 && o.List == "" }

// settings returns the settings that a saved index must share with the documents compared with it.
func (o *Options) settings() []byte {
	c := config.Default()
	remember := c.Judge.Duplicates.Remember
	c.Judge.Duplicates, c.Judge.Normalize = o.Config.Judge.Duplicates, o.Config.Judge.Normalize
	c.Judge.Duplicates.Remember = remember
	c.Advanced.MaxDocumentBytes = o.Config.Advanced.MaxDocumentBytes
	for i := range o.Config.Sources {
		read, d := document.DefaultSource(), o.Config.Sources[i].Reading
		read.Reading.Reject, read.Reading.Scope, read.Reading.HTML, read.Reading.Base64 = d.Reject, d.Scope, d.HTML, d.Base64
		c.Sources = append(c.Sources, read)
	}
	return c.Settings()
}

// Params returns how the documents are read and signed.
func (o *Options) Params() Params {
	named := len(o.Old) > 0 || o.Load != "" || o.Save != "" || o.List != "" || len(o.Query) != 1
	return Params{
		Index: o.Config.Judge, Workers: o.Workers, Named: named, Sketches: o.Verbose || o.EachPair, Texts: o.HTML != "", Keep: o.Keep,
	}
}

// NewJudge builds the judge of the documents. With a checkpoint it is that of the run which goes on.
func (o *Options) NewJudge(ctx context.Context, c *Checkpoint) (Judge, error) {
	if o.EachPair {
		return NewEachPair(EachPairParams{Index: o.Config.Judge, Distance: o.Distance, Memory: o.Memory, Pairs: o.Verbose ||
			o.Pairs || o.HTML != ""})
	}
	if c != nil {
		return c.Index(ctx, o.IndexParams())
	}
	return OpenIndex(ctx, o.Load, o.IndexParams())
}

// IndexParams returns how documents are judged by an index.
func (o *Options) IndexParams() IndexParams {
	return IndexParams{
		Index: o.Config.Judge, Settings: o.settings(), Memory: o.Memory, All: o.All, Directory: o.Directory, Shown: o.Shown,
		Every: o.Pairs || o.Verbose || o.Duplicates || o.HTML != "", Pairs: o.Pairs || o.Verbose,
	}
}

func dedupOptionsOf(cmd *cobra.Command, args []string) (o Options, err error) {
	if err := readDedupConfig(cmd, &o); err != nil {
		return o, err
	}
	if o.Memory, err = cmdline.Size(cmd, "memory"); err != nil {
		return o, err
	}
	if o.Workers = cmdline.Int(cmd, "workers"); o.Workers < 1 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	o.Old, o.Query = cmdline.Texts(cmd, "index"), append(cmdline.Texts(cmd, "query"), args...)
	text := func(flag string) string { return cmdline.Text(cmd, flag) }
	o.List, o.Load, o.Save = text("files-from"), text("index-file"), text("save-index")
	o.Verbose, o.JSON, o.Pairs = cmdline.Bool(cmd, "verbose"), cmdline.Bool(cmd, "json"), text("pairs") != ""
	o.HTML, o.Duplicates, o.Keep = text("html"), text("duplicates") != "", cmdline.Bool(cmd, "keep-rejected")
	if err := o.Choose(text("representative"), text("matches")); err != nil {
		return o, err
	}
	return o, o.Check()
}

// readDedupConfig resolves the settings. A distance that is refused may still be one at which each sketch is compared with each.
func readDedupConfig(cmd *cobra.Command, o *Options) (err error) {
	o.Config, err = cmdline.Settings(cmd, config.ForFiles())
	flag := cmd.Flag("distance")
	if err == nil || !flag.Changed {
		return err
	}
	asked := flag.Value.String()
	distance, notNumber := strconv.Atoi(asked)
	if notNumber != nil || flag.Value.Set("0") != nil { // no distance is refused less than 0
		return err
	}
	c, still := cmdline.Settings(cmd, config.ForFiles())
	var mistakes config.Mistakes
	if errors.As(still, &mistakes) && !slices.ContainsFunc(mistakes, func(m config.Mistake) bool { return m.Key == "duplicates.distance" }) {
		return errors.Join(still, flag.Value.Set(asked)) // the distance is possible if each is compared with each
	}
	if still != nil || c.Judge.Duplicates.EstimatedBy() != compare.Hamming {
		return errors.Join(err, flag.Value.Set(asked))
	}
	o.Config = c
	return o.CompareEach(distance)
}

// Rules say when each flag decides something in a run with these options.
func Rules(o *Options) []cmdline.Rule {
	const whole = "is for whole documents, and --unit compares their parts by normal form: leave out one of them, or remove parts " +
		"first and compare what is left in a second run"
	parts := func(g *cmdline.Asked) bool { return g.Has("unit") }
	return slices.Concat([]cmdline.Rule{
		{Flags: "part-bytes repeats removed", When: parts, Why: "goes with --unit, which says what a part is"},
		{Flags: "index index-file save-index pairs clusters groups annotated representative verbose matches checkpoint checkpoint-every directory html " +
			"threshold shingle hash weighted method slots plan recall bands rows bits distance verify evidence " +
			"max-candidates max-references max-work compare-copies ignore", When: func(g *cmdline.Asked) bool { return !parts(g) }, Why: whole},
		{Flags: "unit query duplicates unique rejected json memory workers"},
		{
			Flags: "checkpoint-every", When: func(g *cmdline.Asked) bool { return g.Has("checkpoint") },
			Why: "goes with --checkpoint, which names the directory",
		},
		{Flags: "unique duplicates pairs clusters groups rejected cut annotated html representative verbose", When: func(g *cmdline.Asked) bool {
			return parts(g) || len(o.Query) > 0 || o.List != ""
		}, Why: "is about documents that are judged, and those of --index are not: name others, or leave it out"},
		{Flags: "keep-rejected", When: func(g *cmdline.Asked) bool {
			return g.Has("unique") || !g.Has("duplicates", "pairs", "clusters", "groups", "rejected", "cut", "annotated", "removed", "save-index", "html", "json")
		}, Why: "is about --unique, which is not written: name a file for it, or leave it out"},
		{
			Flags: "max-candidates max-references max-work directory", When: func(*cmdline.Asked) bool { return !o.EachPair },
			Why: "is of an index, and a --distance beyond that of blocks has none: leave it out",
		},
	}, cmdline.SettingRules(), cmdline.JudgeRules(), cmdline.FileRules())
}
