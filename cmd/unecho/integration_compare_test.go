package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/comparison"
	"github.com/unecho/unecho/consumer/topic"
)

// sendEdited sends n documents, most of which are copies of another one with some words replaced.
func (s *scene) sendEdited(n int, seed uint64) {
	s.t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	var texts [][]string
	records := make([]*kgo.Record, n)
	for i := range records {
		text := strings.Fields(words(r, 40))
		if len(texts) > 0 && r.IntN(4) > 0 {
			copy(text, texts[r.IntN(len(texts))])
			for range r.IntN(8) {
				text[r.IntN(len(text))] = fmt.Sprintf("w%x", r.IntN(1<<20))
			}
		}
		texts = append(texts, text)
		records[i] = &kgo.Record{Partition: int32(i % 2), Value: []byte(strings.Join(text, " "))}
	}
	s.send(records...)
}

// compares runs the verb, and returns its exit code and what it says.
func (s *scene) compares(args ...string) (code int, out, log string) {
	s.t.Helper()
	p := start(s.t, s.dir, append([]string{"compare"}, args...)...)
	code = p.exits(patience)
	return code, p.out.String(), p.log.String()
}

// The verdicts of a shadow are compared with those of the group that it follows, beside both at work: in JSON with what
// the outputs hold, and for people on a screen.
func TestCompare(t *testing.T) {
	t.Parallel()
	s := newScene(t, 2)
	s.configure(noOps)
	next := s.name + "-2"
	older, newer := s.deployment(s.name, "", "word:3"), s.deployment(next, s.name, "char:5")
	refused := func(says string, args ...string) {
		t.Helper()
		if code, out, log := s.compares(args...); code != 2 || out != "" || !strings.Contains(log, says) {
			t.Errorf("compare %v: exit code %d, %s%s", args, code, out, log)
		}
	}
	refused("follows no other group", "--config", older)
	refused("has no journal "+s.name+".journal", "--config", newer)
	refused("--documents: write a number from 1", "--config", newer, "--documents", "0")
	s.sendEdited(1500, 1)
	s.all = append(s.all, start(t, s.dir, "run", "--config", older))
	s.settled()
	s.all = append(s.all, start(t, s.dir, "run", "--config", newer, "--set", "similarity.threshold=0.5"))
	shadow := *s
	shadow.name = next
	shadow.settled()

	code, out, log := s.compares("--config", newer, "--json")
	var r comparison.Report
	if err := json.Unmarshal([]byte(out), &r); code != 0 || log != "" || err != nil {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, log)
	}
	for output, count := range map[string]int64{
		"unique": r.Old.Unique, "duplicate": r.Old.Duplicate, "rejected": r.Old.Rejected,
	} {
		there := int64(0)
		s.settledIn(s.source + "." + output)
		check(t, topic.ReadSpan(s.bounded(), s.kafka, s.source+"."+output, topic.Span{}, func(*topic.Record) error {
			there++
			return nil
		}))
		if there != count {
			t.Errorf("%d documents are %s, and it counts %d", there, output, count)
		}
	}
	if r.Documents != 1500 || r.OldGroup != s.name || r.NewGroup != next || r.NoOutput+r.Unclear+r.Before+r.Neither != 0 ||
		r.New.Unique+r.New.Duplicate != 1500 || r.OnlyNew < 100 || r.OnlyNew > r.New.Duplicate || len(r.Examples) != 10 {
		t.Errorf("it says %+v", r)
	}
	code, out, log = s.compares("--config", newer, "--documents", "1000", "--examples", "3")
	for _, says := range []string{
		"old group " + s.name + ", new group " + next + ": 1,000 documents of 2 partitions", "  unique in both\n",
		"\nsimilarity ", "\n0.50 - 0.55 ", "█", "\nthe verdicts differ on ",
	} {
		if !strings.Contains(out, says) {
			t.Errorf("it does not say %q", says)
		}
	}
	if n := strings.Count(out, "\n"); code != 0 || log != "" || n > 30 || strings.Count(out, ": old ") != 3 {
		t.Errorf("exit code %d, %d lines\n%s%s", code, n, out, log)
	}
	t.Logf("\n%s", out)
	refused("similarity.shingle: char:4 here, char:5 in the journal",
		"--config", newer, "--set", "similarity.shingle=char:4")
}
