package labelled

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/written"
	"github.com/unecho/unecho/index/eval"
)

// labels are the known pairs or clusters, in a file.
type labels struct {
	path      string
	documents *Documents
	note      io.Writer
}

// Pairs returns the pairs of a file; note is called for a first line that is none.
func (d *Documents) Pairs(path string, note io.Writer) ([]eval.Pair, error) {
	return labels{path: path, documents: d, note: note}.pairs()
}

// Clusters returns all pairs of the clusters of a file; note is called for a first line that is none.
func (d *Documents) Clusters(path string, note io.Writer) ([]eval.Pair, error) {
	return labels{path: path, documents: d, note: note}.clusters()
}

// pairs returns the pairs of the file.
func (l labels) pairs() ([]eval.Pair, error) {
	var pairs []eval.Pair
	err := l.each(func(line int, left, right string) error {
		a, knownA := l.documents.numbers[left]
		b, knownB := l.documents.numbers[right]
		switch {
		case line == 1 && !knownA && !knownB:
			l.header(left)
		case !knownA:
			return l.unknown(line, left)
		case !knownB:
			return l.unknown(line, right)
		case a != b:
			pairs = append(pairs, eval.Pair{A: min(a, b), B: max(a, b)})
		}
		return nil
	})
	return sortedPairs(pairs), err
}

// clusters returns all pairs of each cluster.
func (l labels) clusters() ([]eval.Pair, error) {
	members, of := map[string][]int{}, map[int]string{}
	count := 0
	err := l.each(func(line int, id, cluster string) error {
		number, known := l.documents.numbers[id]
		if !known && line == 1 {
			l.header(id)
			return nil
		}
		if !known {
			return l.unknown(line, id)
		}
		if other, twice := of[number]; twice {
			if other != cluster {
				return fmt.Errorf("read %s: line %d: document %q is in cluster %q already, and cannot be in %q as well", l.path,
					line, id, other, cluster)
			}
			return nil
		}
		of[number] = cluster
		if count += len(members[cluster]); count > eval.MostPairs {
			return fmt.Errorf("read %s: line %d: %w: more than %d in clusters: %s", l.path, line, eval.ErrPairs, eval.MostPairs,
				fewerPairs)
		}
		members[cluster] = append(members[cluster], number)
		return nil
	})
	if err != nil {
		return nil, err
	}
	pairs := make([]eval.Pair, 0, count)
	for _, all := range members { // in no order: they are sorted below
		for i, b := range all {
			for _, a := range all[:i] {
				pairs = append(pairs, eval.Pair{A: min(a, b), B: max(a, b)})
			}
		}
	}
	return sortedPairs(pairs), nil
}

// header reports that the first line was skipped, in case that was not intended.
func (l labels) header(id string) {
	fmt.Fprintf(l.note, "unecho: the first line of %s is taken for names of columns: there is no document %q\n", l.path, id)
}

func (l labels) unknown(line int, id string) error {
	return fmt.Errorf("read %s: line %d: there is no document %q; documents are called by their ids (--id), or else by "+
		"their numbers: the first is %q",
		l.path, line, id, l.documents.names[0])
}

// sortedPairs sorts pairs and drops repetitions.
func sortedPairs(pairs []eval.Pair) []eval.Pair {
	slices.SortFunc(pairs, func(p, q eval.Pair) int { return cmp.Or(p.A-q.A, p.B-q.B) })
	return slices.Compact(pairs)
}

// mostLabelBytes bounds a line of labels.
const mostLabelBytes = 1 << 20

func (l labels) each(visit func(line int, left, right string) error) (err error) {
	f, err := os.Open(l.path)
	if err != nil {
		return exit.NotThere(fmt.Errorf("open labels: %w", err))
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, mostLabelBytes)
	labelled := 0
	for line := 1; lines.Scan(); line++ {
		columns := strings.Split(strings.TrimSuffix(lines.Text(), "\r"), "\t")
		if len(columns) == 1 { // ids without spaces are often separated by one
			columns = strings.Fields(columns[0])
		}
		if len(columns) == 0 {
			continue
		}
		if len(columns) < 2 {
			return fmt.Errorf("read %s: line %d: two columns are expected, separated by a tab", l.path, line)
		}
		if err := visit(line, written.UnescapeTSV(columns[0]), written.UnescapeTSV(columns[1])); err != nil {
			return err
		}
		labelled++
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read %s: %w", l.path, err)
	}
	if labelled == 0 {
		return fmt.Errorf("read %s: there are no labels", l.path)
	}
	return nil
}
