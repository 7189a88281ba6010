package main

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/cmdline"
	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/internal/corpus"
)

// dedupOptions are the values of a command line of dedup.
type dedupOptions struct {
	config         config.Config
	params         dedup.Params
	memory         setting.Bytes
	all            bool // --matches all
	rotated        bool // the distance is beyond what blocks guarantee
	distance       int  // then
	representative dedup.Representative
	verbose        bool
	old, query     []string
	list           string // --files-from
	load, save     string // the files of the index
}

func dedupOptionsOf(cmd *cobra.Command, args []string) (o dedupOptions, err error) {
	if err := o.readConfig(cmd); err != nil {
		return o, err
	}
	if err := o.memory.UnmarshalText([]byte(cmd.Flag("memory").Value.String())); err != nil {
		return o, exit.Usage(fmt.Errorf("--memory: %w", err))
	}
	workers, err := cmd.Flags().GetInt("workers")
	if err != nil {
		return o, err
	}
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	if err := o.readFiles(cmd, args); err != nil {
		return o, err
	}
	if err := o.readChoices(cmd); err != nil {
		return o, err
	}
	named := len(o.old) > 0 || o.load != "" || o.save != "" || o.list != "" || len(o.query) != 1
	o.verbose = cmdline.Bool(cmd, "verbose")
	o.params = dedup.Params{Index: o.config.Judge, Workers: workers, Named: named, Sketches: o.verbose || o.rotated}
	return o, o.check()
}

// readConfig resolves the settings. A distance that is refused may still be one for sorted rotations.
func (o *dedupOptions) readConfig(cmd *cobra.Command) (err error) {
	o.config, err = cmdline.Settings(cmd, config.Default())
	flag := cmd.Flag("distance")
	if err == nil || !flag.Changed {
		return err
	}
	asked := flag.Value.String()
	distance, notNumber := strconv.Atoi(asked)
	if notNumber != nil || flag.Value.Set("0") != nil { // no distance is refused less than 0
		return err
	}
	c, still := cmdline.Settings(cmd, config.Default())
	if still != nil || c.Judge.Similarity.EstimatedBy() != index.Hamming {
		return errors.Join(err, flag.Value.Set(asked))
	}
	if _, err := sketch.NewRotations(c.Judge.Similarity.Bits, distance); err != nil {
		return exit.Usage(fmt.Errorf("--distance: %w", err))
	}
	o.config, o.rotated, o.distance = c, true, distance
	return nil
}

func (o *dedupOptions) readFiles(cmd *cobra.Command, args []string) (err error) {
	if o.old, err = cmd.Flags().GetStringArray("index"); err != nil {
		return err
	}
	if o.query, err = cmd.Flags().GetStringArray("query"); err != nil {
		return err
	}
	o.query = append(o.query, args...)
	o.list, o.load, o.save = cmd.Flag("files-from").Value.String(), cmd.Flag("index-file").Value.String(), cmd.Flag("save-index").Value.String()
	return nil
}

func (o *dedupOptions) readChoices(cmd *cobra.Command) error {
	switch word := cmd.Flag("representative").Value.String(); word {
	case "first":
		o.representative = dedup.First
	case "last":
		o.representative = dedup.Last
	case "longest":
		o.representative = dedup.Longest
	default:
		return exit.Usage(fmt.Errorf("--representative %s: write first, last or longest", word))
	}
	switch word := cmd.Flag("matches").Value.String(); word {
	case "best":
	case "all":
		o.all = true
	default:
		return exit.Usage(fmt.Errorf("--matches %s: write best or all", word))
	}
	if o.all {
		judge := &o.config.Judge
		judge.Index.Keep = "all"
		o.unbind(cmd)
	}
	o.all = o.all || o.rotated
	return nil
}

// unbind removes the bounds on what one document may cost, except for those that are set.
func (o *dedupOptions) unbind(cmd *cobra.Command) {
	defaults, s := index.DefaultParams().Similarity, &o.config.Judge.Similarity
	for _, b := range []struct {
		flag  string
		bound *int
		usual int
	}{
		{"max-candidates", &s.MaxCandidates, defaults.MaxCandidates},
		{"max-references", &s.MaxReferences, defaults.MaxReferences},
		{"max-work", &s.MaxWork, defaults.MaxWork},
	} {
		if *b.bound == b.usual && !cmd.Flag(b.flag).Changed {
			*b.bound = math.MaxInt32
		}
	}
}

// check refuses options that contradict each other.
func (o *dedupOptions) check() error {
	stdins := 0
	for _, path := range slices.Concat(o.old, o.query, []string{o.list, o.load}) {
		if path == corpus.Stdin {
			stdins++
		}
	}
	switch {
	case stdins > 1:
		return exit.Usage(errors.New("standard input can be read once only: name it once"))
	case o.save == corpus.Stdin:
		return exit.Usage(errors.New("--save-index wants a file of its own, not standard output"))
	case len(o.old) > 0 && o.load != "":
		return exit.Usage(errors.New("--index reads documents and --index-file an index: name one of them"))
	case o.rotated && o.load+o.save != "":
		return exit.Usage(errors.New("sorted rotations have no index to save or to load: use --index, or a smaller --distance"))
	case o.verbose && o.load != "":
		return exit.Usage(errors.New("--verbose shows sketches, which an index file does not hold: use --index"))
	case len(o.query) == 0 && o.list == "" && (o.save == "" || len(o.old) == 0):
		return exit.Usage(errors.New("no file is named; - is standard input"))
	}
	return nil
}

// only says whether nothing is judged: an index is built and saved.
func (o *dedupOptions) only() bool { return len(o.query) == 0 && o.list == "" }

// settings returns the settings that a saved index must share with the documents compared with it.
func (o *dedupOptions) settings() []byte {
	c := config.Default()
	c.Judge.Similarity, c.Judge.Text, c.Judge.Index.Keep = o.config.Judge.Similarity, o.config.Judge.Text, o.config.Judge.Index.Keep
	d := o.config.Document
	c.Document.MaxBytes, c.Document.InvalidUTF8, c.Document.Empty, c.Document.Scope = d.MaxBytes, d.InvalidUTF8, d.Empty, d.Scope
	return c.Settings()
}
