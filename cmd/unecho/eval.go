package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/sketch"
	"github.com/unecho/unecho/index/text"
)

func evalCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "eval FILE...",
		Short: "Hold what the settings find against pairs or clusters that you know",
		Long: "Hold what the settings find in FILE against pairs or clusters that you know: precision, recall and F1 of the pairs,\n" +
			"and the adjusted Rand index (ARI) of the clusters that they form. A pair is found if it shares a band key and\n" +
			"is verified as the service does (--verify); how many candidates the service looks at is not bounded here.",
		Example: "  unecho eval --pairs labels.tsv articles.jsonl\n" +
			"  unecho eval --clusters clusters.tsv --threshold 0.7 --shingle char:5 --json articles.jsonl",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error { return runEval(cmd, args) },
	}
	addCorpusFlags(cmd)
	flags := cmd.Flags()
	flags.String("pairs", "", "the pairs: two ids on each line, separated by a tab; what follows, and a first line of names, is passed over")
	flags.String("clusters", "", "the clusters: an id and the name of its cluster on each line, separated by a tab")
	flags.Bool("json", false, "the result as one JSON object")
	addSettingFlags(cmd, "similarity", "text", "document.max_bytes", "document.invalid_utf8")
	return cmd
}

// evaluation is what a run of eval comes to. Its JSON is a promise to scripts.
type evaluation struct {
	Documents int `json:"documents"`
	Labelled  int `json:"labelled"` // pairs
	Found     int `json:"found"`
	eval.Score
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	ARI       float64 `json:"ari"`
}

func runEval(cmd *cobra.Command, args []string) error {
	pairs, clusters := cmd.Flag("pairs").Value.String(), cmd.Flag("clusters").Value.String()
	if (pairs == "") == (clusters == "") {
		return usageError{errors.New("give what you know by --pairs or by --clusters")}
	}
	found, numbers, err := findPairs(cmd, args)
	if err != nil {
		return err
	}
	var truth []eval.Pair
	if pairs != "" {
		truth, err = readPairs(pairs, numbers)
	} else {
		truth, err = readClusters(clusters, numbers)
	}
	if err != nil {
		return err
	}
	e := evaluation{
		Documents: len(numbers), Labelled: len(truth), Found: len(found), Score: eval.Compare(found, truth),
		ARI: eval.AdjustedRand(rootsOf(found, len(numbers)), rootsOf(truth, len(numbers))),
	}
	e.Precision, e.Recall, e.F1 = e.Score.Precision(), e.Score.Recall(), e.Score.F1()
	if flagBool(cmd, "json") {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(e)
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%d documents, %d pairs labelled, %d found\nprecision %.4f  recall %.4f  F1 %.4f  ARI %.4f  (tp %d, fp %d, fn %d)\n",
		e.Documents, e.Labelled, e.Found, e.Precision, e.Recall, e.F1, e.ARI, e.TruePositives, e.FalsePositives, e.FalseNegatives)
	return err
}

func rootsOf(pairs []eval.Pair, documents int) []int {
	c := eval.NewClusters(documents)
	for _, p := range pairs {
		c.Join(p.A, p.B)
	}
	return c.Roots()
}

// findPairs finds all pairs under the settings. numbers are the documents by their names.
func findPairs(cmd *cobra.Command, args []string) (pairs []eval.Pair, numbers map[string]int, err error) {
	ctx, stop := untilSignal(cmd.Context(), cmd.ErrOrStderr())
	defer stop()
	c, err := settingsOf(cmd, config.Default())
	if err != nil {
		return nil, nil, err
	}
	s, err := newSketcher(c.Judge)
	if err != nil {
		return nil, nil, err
	}
	in, size, err := openCorpus(cmd, args, c, nil)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	var d evaluated
	numbers = map[string]int{}
	bar := newProgress(cmd.ErrOrStderr(), size)
	err = corpus.Each(ctx, in, func(r *corpus.Record) error {
		bar.documents++
		read, files := in.Read()
		bar.files = files
		bar.at(read)
		name := string(r.Name(nil, len(args) != 1))
		if other, twice := numbers[name]; twice {
			return fmt.Errorf("documents %d and %d have the same id %q: labels could mean either", other+1, len(numbers)+1, name)
		}
		numbers[name] = len(numbers)
		d.add(c.Judge.Similarity, s, r.Text)
		return nil
	})
	bar.end()
	if err != nil {
		return nil, nil, err
	}
	trial := eval.NewTrial(s.sketch, d.sets)
	pairs, err = trial.Pairs(d.verified(c.Judge.Similarity, trial), mostCandidates)
	return pairs, numbers, err
}

// evaluated are the documents, as far as they are compared.
type evaluated struct {
	sets  [][]uint64
	texts [][]byte // normalised, if they are what is compared
}

func (d *evaluated) add(p index.SimilarityParams, s *sketcher, document []byte) {
	normalized := s.normalizer.Append(nil, document)
	set := s.shingling.AppendHashes(nil, normalized)
	if p.Weighted {
		slices.Sort(set)
	} else {
		set = text.Set(set)
	}
	d.sets = append(d.sets, slices.Clip(set))
	if p.Verify == "levenshtein" {
		d.texts = append(d.texts, slices.Clone(index.FrontOf(normalized)))
	}
}

// verified is what the service verifies candidates by.
func (d *evaluated) verified(p index.SimilarityParams, trial *eval.Trial) func(a, b int) bool {
	threshold := int(p.Threshold*eval.Scale + 0.5)
	switch p.Verify {
	case "estimate":
		bar := eval.AtThreshold(threshold)
		if p.Sketch == "simhash" {
			bar = eval.WithinDistance(p.Bits, p.Distance)
		}
		return func(a, b int) bool { return trial.Reached(bar, a, b) }
	case "levenshtein":
		var l sketch.Levenshtein
		return func(a, b int) bool {
			num, den := l.Similarity(d.texts[a], d.texts[b], threshold)
			return sketch.AtLeast(num, den, threshold)
		}
	}
	return eval.Exactly(d.sets, threshold)
}

// readPairs reads labels. The first line may hold names.
func readPairs(path string, numbers map[string]int) ([]eval.Pair, error) {
	var pairs []eval.Pair
	err := readLabels(path, func(line int, left, right string) error {
		a, knownA := numbers[left]
		b, knownB := numbers[right]
		if !knownA || !knownB {
			if line == 1 && !knownA && !knownB {
				return nil
			}
			unknown := right
			if !knownA {
				unknown = left
			}
			return fmt.Errorf("read %s: line %d: there is no document %q", path, line, unknown)
		}
		if a != b {
			pairs = append(pairs, eval.Pair{A: min(a, b), B: max(a, b)})
		}
		return nil
	})
	return sortedPairs(pairs), err
}

// readClusters reads labels, and makes of each cluster all of its pairs.
func readClusters(path string, numbers map[string]int) ([]eval.Pair, error) {
	members := map[string][]int{}
	count := 0
	err := readLabels(path, func(line int, id, cluster string) error {
		number, known := numbers[id]
		if !known && line > 1 {
			return fmt.Errorf("read %s: line %d: there is no document %q", path, line, id)
		}
		if !known {
			return nil
		}
		if count += len(members[cluster]); count > mostCandidates {
			return fmt.Errorf("read %s: line %d: the clusters have more than %d pairs, the most that are compared", path, line, mostCandidates)
		}
		members[cluster] = append(members[cluster], number)
		return nil
	})
	if err != nil {
		return nil, err
	}
	pairs := make([]eval.Pair, 0, count)
	for _, all := range members {
		for i, b := range all {
			for _, a := range all[:i] {
				pairs = append(pairs, eval.Pair{A: min(a, b), B: max(a, b)})
			}
		}
	}
	return sortedPairs(pairs), nil
}

// sortedPairs sorts pairs and drops repetitions.
func sortedPairs(pairs []eval.Pair) []eval.Pair {
	slices.SortFunc(pairs, func(p, q eval.Pair) int { return cmp.Or(p.A-q.A, p.B-q.B) })
	return slices.Compact(pairs)
}

// mostLabelBytes bounds a line of labels.
const mostLabelBytes = 1 << 20

func readLabels(path string, visit func(line int, left, right string) error) (err error) {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("open labels: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, mostLabelBytes)
	for line := 1; lines.Scan(); line++ {
		columns := strings.Split(strings.TrimSuffix(lines.Text(), "\r"), "\t")
		if len(columns) == 1 { // ids without spaces are often separated by one
			columns = strings.Fields(columns[0])
		}
		if len(columns) == 0 {
			continue
		}
		if len(columns) < 2 {
			return fmt.Errorf("read %s: line %d: two columns are expected, separated by a tab", path, line)
		}
		if err := visit(line, columns[0], columns[1]); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}
