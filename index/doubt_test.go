package index_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/entry"
)

// sharedLines returns the lines of a file of the shared data. The test is skipped, and says so, when it is absent.
func sharedLines(t *testing.T, path ...string) []string {
	t.Helper()
	dir := os.Getenv("UNECHO_TEST_DATA")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "data")
	}
	name := filepath.Join(append([]string{dir}, path...)...)
	data, err := os.ReadFile(name)
	if os.IsNotExist(err) {
		t.Skipf("shared data absent: %s is not there; UNECHO_TEST_DATA names its directory", name)
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

// logLines returns lines of a few templates, as servers write them: all different, and alike but for their figures.
func logLines(n int) []string {
	random := rand.New(rand.NewPCG(32, 11))
	num := random.IntN
	address := func() string { return fmt.Sprintf("10.%d.%d.%d", num(256), num(256), num(256)) }
	users := strings.Fields("root admin oracle test guest webmaster postgres backup")
	templates := []func() string{
		func() string {
			return fmt.Sprintf("sshd[%d]: Failed password for invalid user %s from %s port %d ssh2", num(30000), users[num(len(users))],
				address(), num(65536))
		},
		func() string {
			return fmt.Sprintf("sshd[%d]: pam_unix(sshd:auth): authentication failure; logname= uid=0 euid=0 tty=ssh ruser= rhost=%s user=%s",
				num(30000), address(), users[num(len(users))])
		},
		func() string {
			return fmt.Sprintf("INFO dfs.DataNode$DataXceiver: Receiving block blk_%d src: /%s:%d dest: /%s:50010 in the session that the "+
				"name node has opened for it", random.Uint64(), address(), num(65536), address())
		},
		func() string {
			return fmt.Sprintf("INFO dfs.FSNamesystem: BLOCK* NameSystem.addStoredBlock: blockMap updated: %s:50010 is added to blk_%d size %d",
				address(), random.Uint64(), num(1<<26))
		},
		func() string {
			return fmt.Sprintf("INFO dfs.DataNode$PacketResponder: PacketResponder %d for block blk_%d terminating after all of its packets "+
				"were acknowledged by the next node of the pipeline", num(3), random.Uint64())
		},
	}
	lines := make([]string, n)
	for i := range lines {
		lines[i] = templates[num(len(templates))]()
	}
	return lines
}

// exactly returns a function that compares two texts by all their shingles.
func exactly(t *testing.T, p index.Params, texts []string) func(a, b int64) bool {
	t.Helper()
	p.Duplicates.Verify, p.Duplicates.Evidence = "jaccard", "text"
	signer, err := index.NewSigner(p)
	if err != nil {
		t.Fatal(err)
	}
	comparer, err := index.NewComparer(p)
	if err != nil {
		t.Fatal(err)
	}
	entries := make([]entry.Entry, len(texts))
	for i, text := range texts {
		signer.Sign(&entries[i], []byte(text))
	}
	return func(a, b int64) bool {
		comparer.Begin(&entries[a])
		_, _, ok := comparer.Compare(&entries[b])
		return ok
	}
}

// estimated is how verdicts by estimate hold against the shingles.
type estimated struct{ flagged, right, doubtful, wrong, wrongDoubted int }

func (e estimated) precision() float64 { return float64(e.right) / float64(max(1, e.flagged)) }

func (e estimated) doubted() float64 { return float64(e.doubtful) / float64(max(1, e.flagged)) }

func estimate(t *testing.T, shingle string, threshold float64, texts []string) (e estimated) {
	t.Helper()
	p := index.DefaultParams()
	p.Duplicates.Verify, p.Duplicates.Shingle, p.Duplicates.Threshold = "estimate", shingle, threshold
	p, err := p.Planned()
	if err != nil {
		t.Fatal(err)
	}
	similar := exactly(t, p, texts)
	for i, v := range judged(t, p, texts) {
		if v.Match.Method != compare.Estimate {
			continue
		}
		e.flagged++
		doubtful := p.Duplicates.Doubtful(v.Match.Method, v.Match.Similarity)
		if doubtful {
			e.doubtful++
		}
		switch {
		case similar(int64(i), v.Match.Offset):
			e.right++
		case doubtful:
			e.wrong++
			e.wrongDoubted++
		default:
			e.wrong++
		}
	}
	return e
}

// An estimate is right where few texts are near the threshold, and wrong where templates put thousands just below it.
// Those that are wrong are among the doubtful ones, which are counted.
func TestEstimatesAreDoubtedWhereTheyAreWrong(t *testing.T) {
	for name, c := range map[string]struct {
		texts     func(t *testing.T) []string
		shingle   string
		threshold float64
		precision float64
	}{
		"log lines, auto:3 at 0.8":      {func(*testing.T) []string { return logLines(5000) }, "auto:3", 0.8, 0},
		"log lines, word:2 at 0.8":      {func(*testing.T) []string { return logLines(5000) }, "word:2", 0.8, 1},
		"log lines, word:2 at 0.9":      {func(*testing.T) []string { return logLines(5000) }, "word:2", 0.9, 0},
		"advertisements, auto:3 at 0.8": {advertisements, "auto:3", 0.8, 0.99},
		"advertisements, auto:3 at 0.9": {advertisements, "auto:3", 0.9, 0.83},
		"articles, auto:3 at 0.8":       {articles, "auto:3", 0.8, 1},
	} {
		t.Run(name, func(t *testing.T) {
			e := estimate(t, c.shingle, c.threshold, c.texts(t))
			t.Logf("%d flagged by an estimate, %d right: precision %.2f; %d doubtful (%.2f), among them %d of %d that are wrong", e.flagged,
				e.right, e.precision(), e.doubtful, e.doubted(), e.wrongDoubted, e.wrong)
			if math.Abs(e.precision()-c.precision) > 0.05 {
				t.Errorf("precision is %.2f; want about %v, as deploy/docs/configuration.md says", e.precision(), c.precision)
			}
			if e.wrongDoubted*20 < e.wrong*19 {
				t.Errorf("%d of %d wrong ones are doubtful; want 95 %%", e.wrongDoubted, e.wrong)
			}
		})
	}
}

func advertisements(t *testing.T) []string {
	t.Helper()
	lines := sharedLines(t, "kijiji-rome-rent", "dataset_rent_rome_kijiji.tsv")[1:]
	for i, line := range lines {
		field := strings.Split(line, "\t")
		lines[i] = field[0] + " " + field[1]
	}
	return lines
}

func articles(t *testing.T) []string {
	t.Helper()
	lines := sharedLines(t, "mccormick-articles", "articles_2500.train")
	for i, line := range lines {
		_, lines[i], _ = strings.Cut(line, " ")
	}
	return lines
}
