package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/eval"
	"github.com/unecho/unecho/index/eval/synthetic"
	"github.com/unecho/unecho/index/sketch"
)

// quality prints how many of the true pairs are found.
func quality(ctx context.Context, p params, all []texts) error {
	fmt.Print("All pairs at or above 0.8, by --matches all, beside those of the exact join.\n\n")
	fmt.Println("| corpus | pairs | recall | precision |")
	fmt.Println("| --- | ---: | ---: | ---: |")
	for _, t := range all {
		if t.articles != nil && p.documents > p.sample {
			var err error
			if t, err = generate(p, p.sample, "sample.jsonl"); err != nil {
				return err
			}
		}
		if err := pairs(ctx, p, t); err != nil {
			return err
		}
	}
	fmt.Println()
	for _, t := range all {
		if t.articles != nil {
			return judged(ctx, p, t)
		}
	}
	return nil
}

// pairs compares the pairs of a corpus.
func pairs(ctx context.Context, p params, t texts) error {
	numbers, exact, err := join(t)
	if err != nil {
		return err
	}
	out := filepath.Join(p.dir, "pairs.tsv")
	if _, err := dedupOf(ctx, p, runtime.NumCPU(), nil,
		append([]string{"--matches", "all", "--pairs", out, t.path}, t.flags...)...); err != nil {
		return err
	}
	truth := make(map[[2]int]bool, len(exact))
	for _, pair := range exact {
		truth[[2]int{pair.A, pair.B}] = true
	}
	found, right := 0, 0
	err = eachLine(out, func(line string) error {
		columns := strings.Split(line, "\t")
		found++
		if truth[[2]int{numbers[columns[0]], numbers[columns[1]]}] {
			right++
		}
		return nil
	})
	if err != nil {
		return err
	}
	fmt.Printf("| %s | %s | %.5f | %.5f |\n", t.name, thousands(float64(len(exact))), share(right, len(exact)),
		share(right, found))
	return nil
}

// join returns the exact truth about a corpus, and the numbers of its documents by their names.
func join(t texts) (numbers map[string]int, exact []eval.Pair, err error) {
	p := index.DefaultParams()
	p.Similarity.Shingle = t.flag("--shingle", p.Similarity.Shingle)
	ruler, err := newRuler(p)
	if err != nil {
		return nil, nil, err
	}
	numbers = map[string]int{}
	var sets [][]uint64
	err = t.each(func(name, text string) error {
		numbers[name] = len(sets)
		sets = append(sets, ruler.Set(nil, []byte(text)))
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	return numbers, eval.NewJoin(sets, 8000).Pairs(), nil
}

func newRuler(p index.Params) (*eval.Ruler, error) {
	shingling, err := p.Similarity.Shingling()
	return eval.NewRuler(p.Text, shingling), err
}

// judged checks the copies in a generated corpus: how many were found, and whether the documents judged copies are
// copies. Each is generated again and compared with its match.
func judged(ctx context.Context, p params, t texts) error {
	out := filepath.Join(p.dir, "duplicates.jsonl")
	r, err := dedupOf(ctx, p, runtime.NumCPU(), nil, "--duplicates", out, t.path)
	if err != nil {
		return err
	}
	matches := map[int]int{}
	err = eachLine(out, func(line string) error {
		var d struct {
			ID    string `json:"id"`
			Match string `json:"match_id"`
		}
		if err := json.Unmarshal([]byte(line), &d); err != nil {
			return err
		}
		matches[numberOf(d.ID)] = numberOf(d.Match)
		return nil
	})
	if err != nil {
		return err
	}
	step := max(1, int(r.Documents)/max(1, p.checked))
	c, err := check(int(r.Documents), step, matches)
	if err != nil {
		return err
	}
	which := "in all"
	if step > 1 {
		which = fmt.Sprintf("in each %dth of", step)
	}
	fmt.Printf("Of %s planted copies at or above 0.8 %s %s generated articles %s were judged duplicates: recall "+
		"%.5f. Of %s judged\nduplicates %s are exactly so similar to their match: precision %.5f.\n\n",
		thousands(float64(c.copies)), which, thousands(float64(r.Documents)), thousands(float64(c.found)),
		share(c.found, c.copies), thousands(float64(c.judged)), thousands(float64(c.right)), share(c.right, c.judged))
	return nil
}

// checked counts documents: the planted copies at or above 0.8, those of them that were found, those judged copies, and
// those of them that are truly so similar to their match.
type checked struct{ copies, found, judged, right int }

// check checks each step-th document, on all cores.
func check(documents, step int, matches map[int]int) (all checked, err error) {
	cores := runtime.NumCPU()
	counts := make([]checked, cores)
	var group errgroup.Group
	for i := range cores {
		group.Go(func() error {
			f, err := newArticles(documents)
			if err != nil {
				return err
			}
			ruler, err := newRuler(index.DefaultParams())
			if err != nil {
				return err
			}
			c := &counts[i]
			for n := i * step; n < documents; n += cores * step {
				d := f.At(n)
				match, judged := matches[n]
				if planted(d.Truth) {
					c.copies++
					c.found += one(judged)
				}
				if judged {
					other := f.At(match)
					shared, union := sketch.Jaccard(ruler.Set(nil, []byte(d.Text)), ruler.Set(nil, []byte(other.Text)))
					c.judged++
					c.right += one(sketch.AtLeast(uint32(shared), uint32(union), 8000))
				}
			}
			return nil
		})
	}
	err = group.Wait()
	for _, c := range counts {
		all = checked{all.copies + c.copies, all.found + c.found, all.judged + c.judged, all.right + c.right}
	}
	return all, err
}

// planted says whether a document was made as a copy at or above 0.8.
func planted(t synthetic.Truth) bool { return t.Kind == synthetic.Exact || t.Similarity >= 0.8 }

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// numberOf returns the number in an article's id.
func numberOf(id string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "article-"))
	if err != nil {
		return -1
	}
	return n
}

func share(part, whole int) float64 { return float64(part) / float64(max(1, whole)) }

func eachLine(path string, visit func(line string) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := visit(lines.Text()); err != nil {
			return err
		}
	}
	return lines.Err()
}
