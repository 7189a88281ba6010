package sim_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mutant is a bug: old, which stands in the file exactly once, is replaced.
type mutant struct {
	rule     string
	file     string // below the module
	old, new string
}

// mutants break a rule of the design's sections 4 to 6 each, in the code that the service runs.
var mutants = []mutant{
	{
		"first append wins", "index/run.go",
		"if _, held := p.find(e.Offset); held {", "if _, held := p.find(e.Offset); held && e.Offset < 0 {",
	},
	{
		"another epoch changes nothing", "index/run.go",
		"!known || r.sources.rows[number].Epoch != run.Epoch ||", "!known ||",
	},
	{
		"other settings change nothing", "index/replica.go",
		"!begins && (!r.inForce || rec.head().Fingerprint != r.fingerprint) {", "!begins && !r.inForce {",
	},
	{
		"judged is held, whatever the order", "index/partition.go",
		"n == 0 || p.held[n-1].Offset < offset {", "n == 0 || p.held[n-1].Offset != offset {",
	},
	{
		"base drops what is held", "index/partition.go",
		"i, _ := p.find(base)\n", "i := 0\n",
	},
	{
		"base is what is committed, not what is polled", "consumer/protocol/judge.go",
		"if d.Judged || d.Rejected {\n", "run.Base = d.Entry.Offset + 1\n\t\tif d.Judged || d.Rejected {\n",
	},
	{
		"what was not checked goes to unique", "consumer/protocol/judge.go",
		"d.Rejected && !d.Unchecked ||", "d.Rejected ||",
	},
	{
		"what was not checked has no verdict to forget", "consumer/protocol/refusal.go",
		"case !d.Judged: // it was not checked", "case !d.Judged && size > 1: // it was not checked",
	},
	{
		"a reposition is of the next epoch", "index/reposition.go",
		"known && rec.Epoch != r.sources.rows[number].Epoch+1 {", "known && rec.Epoch <= 1 {",
	},
	{
		"a reposition lets documents die", "index/partition.go",
		"p.falls = append(p.falls, fall{before: at, from: from})\n", "",
	},
	{
		"from base on, if that is lower", "index/partition.go",
		"from := min(r.Offset, p.Base)", "from := r.Offset",
	},
	{
		"the metadata is compared", "consumer/protocol/decide.go",
		"!c.Ours || c.Epoch < p.Epoch || c.Start != p.Start:", "!c.Ours:",
	},
	{
		"an offset without our metadata is somebody's", "consumer/protocol/decide.go",
		"case !c.Ours || c.Epoch < p.Epoch ||", "case c.Epoch < p.Epoch ||",
	},
	{
		"an epoch committed is an epoch begun", "consumer/protocol/decide.go",
		"c.Epoch == p.Epoch+1 && c.Offset == c.Start:", "c.Epoch == p.Epoch+7 && c.Offset == c.Start:",
	},
	{
		"without an offset it goes on at base", "consumer/protocol/decide.go",
		"f.begin(NoOffset, p.Base, p.Epoch+1)", "f.begin(NoOffset, f.Begin, p.Epoch+1)",
	},
	{
		"what was polled is passed over", "consumer/protocol/batch.go",
		"case offset < g.End:", "case offset < g.End && offset < 0:",
	},
	{
		"an unknown outcome ends the session", "consumer/protocol/batch.go",
		"\tcase err != nil:\n\t\tb.wants = Rebuild\n", "",
	},
	{
		"after a refused commit the offsets tell", "consumer/protocol/assignment.go",
		" && c.Offset == a.Base", "",
	},
	{
		"a batch of a revoked partition is aborted", "consumer/protocol/batch.go",
		"if refused != nil || revoked {", "if refused != nil {",
	},
	{
		"what is refused is not committed", "consumer/protocol/batch.go",
		"if refused != nil || revoked {", "if revoked {",
	},
	{
		"a refused representative is forgotten", "consumer/protocol/refusal.go",
		"return Forget // until", "now.level = Reject // until",
	},
	{
		"what is refused for its time gets another", "consumer/protocol/refusal.go",
		"now.retimed = true", "now.level = Reject",
	},
	{
		"forget is obeyed", "index/forget.go",
		"at, ok := j.find.window.Find(target); ok {", "at, ok := j.find.window.Find(target); ok && target.Offset < 0 {",
	},
	{
		"what is forgotten goes to rejected", "index/forget.go",
		"if v.Forgotten = true; !p.wasFed", "if v.Forgotten = false; !p.wasFed",
	},
	{
		"an offset below base outranks another document", "consumer/protocol/decide.go",
		"case c.Offset < p.Base && f.AcceptLostOffsets:",
		"case f.Moved:\n\t\treturn f.begin(Foreign, c.Offset, p.Epoch+1)\n\tcase c.Offset < p.Base && f.AcceptLostOffsets:",
	},
	{
		"a wait ends when the epoch does", "consumer/protocol/judge.go",
		"if p.Epoch != a.Epoch {", "if p.Epoch == 0 {",
	},
	{
		"a wait ends when base has passed", "consumer/protocol/judge.go",
		"if d.Entry.Offset < p.Base {", "if d.Entry.Offset < 0 {",
	},
	{
		"another document has another verdict", "consumer/protocol/judge.go",
		"d.Verdict.Content != d.Entry.Content {", "d.Verdict.Content == 0 {",
	},
	{
		"a snapshot has the verdicts held", "index/capture.go",
		"dst = binary.AppendUvarint(dst, uint64(len(p.held)))\n\tfor i := range p.held {",
		"dst = binary.AppendUvarint(dst, 0)\n\tfor i := range p.held[:0] {",
	},
	{
		"a snapshot has the dead", "index/window/changes.go",
		"wire.Flag(c.dead)*changedDead|", "",
	},
	{
		"a snapshot has what fell", "index/capture.go",
		"dst = binary.AppendUvarint(dst, uint64(len(p.falls)))\n\tfor _, f := range p.falls {",
		"dst = binary.AppendUvarint(dst, 0)\n\tfor _, f := range p.falls[:0] {",
	},
	{
		"the journal is trimmed below the second newest", "consumer/protocol/trim.go",
		"return whole[1], true", "return whole[0], true",
	},
	{
		"the hash has the verdicts", "index/replica.go",
		"h = h.verdict(&effect.Judged[i])", "_ = effect.Judged[i]",
	},
	{
		"nobody forwards by a routing that is over", "consumer/protocol/judge.go",
		"if r.Routed() != a.Routed {", "if r.Routed() == 0 && a.Routed > 0 {",
	},
	{
		"of two routings the first counts", "index/routing.go",
		"rec.Number != g.routes.Number+1 {", "rec.Number < g.routes.Number {",
	},
	{
		"a snapshot has the routing", "index/capture.go",
		"binary.AppendUvarint(dst, uint64(r.routing.routes.Number))", "binary.AppendUvarint(dst, 0)",
	},
	{
		"a checkpoint is compared", "index/claim.go",
		"if uint64(ours) == c.Hash {", "if known {",
	},
	{
		"a mark is remembered, whatever comes behind it", "index/hash.go",
		"const mostMarks = 1024", "const mostMarks = 1",
	},
	{
		"a stray is passed", "index/replica.go",
		"func (r *Replica) Skip(at Stamp) { r.Apply(at, nil) }", "func (r *Replica) Skip(at Stamp) { r.stats.Ignored++ }",
	},
	{
		"a stray counts alike on every member", "index/replica.go",
		"func (r *Replica) Skip(at Stamp) { r.Apply(at, nil) }",
		"func (r *Replica) Skip(at Stamp) {\n\tif r.next = at.Offset + 1; r.stats.Judged%2 == 0 {\n\t\tr.Apply(at, nil)\n\t}\n}",
	},
	{
		"what nobody could read is appended again", "consumer/protocol/again.go",
		"return times <= mostUnread", "return times < 1",
	},
	{
		"only what has a verdict is forwarded", "consumer/protocol/batch.go",
		"case !missing:", "case !missing || b.appends > 0:",
	},
	{
		"the replica passes the journal's end first", "consumer/protocol/takeover.go",
		"{ t.until, t.asks = end, AskReached }", "{ t.asks = AskReached }",
	},
	{
		"the offset is fetched stable", "consumer/protocol/takeover.go",
		"const RequireStable = true", "const RequireStable = false",
	},
	{
		"what was judged, and deleted before it was forwarded, dies", "consumer/protocol/decide.go",
		"return f.begin(Deleted, f.Begin, p.Epoch+1)",
		"return Decision{Assignment: Assignment{TopicPartition: f.TopicPartition, Epoch: p.Epoch, Start: p.Start, Base: " +
			"f.Begin, Announced: p.Base, Mode: f.Mode}}",
	},
	{
		"what is deleted is not waited for", "consumer/protocol/decide.go",
		"case c.Offset < f.Begin:", "case c.Offset < f.Begin && f.Begin < 0:",
	},
	{
		"what is polled is committed, and no more", "consumer/protocol/batch.go",
		"g.End = offset + 1", "g.End = offset + 2",
	},
	{
		"who may not commit appends nothing", "consumer/protocol/takeover.go",
		"if !committed {", "if !committed && t.until < 0 {",
	},
	{
		"an epoch that begins is found before anything is read", "consumer/protocol/takeover.go",
		"func (t *Takeover) Applied() { t.asks = AskEnd }",
		"func (t *Takeover) Applied() { t.Extent(t.Begin, t.End, time.Time{}) }",
	},
}

// shown are the bugs that TestMutants plants: one that each kind of history finds within some steps, or two.
var shown = []string{
	"first append wins", "a refused representative is forgotten", "the offset is fetched stable",
	"a session forwards only what was fed", "a change is of the next number", "an erase passes over nobody",
	"the key goes into the journal",
}

// panics are bugs that let damaged records pass, or give up what is read still, which may end the program before a rule is
// seen to be broken.
var panics = []string{
	"a page is what was written", "a search takes what was written", "a segment has its keys until a block finds it",
}

const (
	// mutantSteps are simulated at most until a mutant has to be caught: most are within some thousands, the rarest one
	// by its luck once in some 400,000.
	mutantSteps = 3_000_000
	// soundSteps are simulated where little fits, and where hashes are equal, without another bug: as many as the rarest bug takes there. The other
	// histories without a bug are those that the long tests tell.
	soundSteps = 450_000
)

// TestMutants plants some bugs, and expects the simulation to find each.
func TestMutants(t *testing.T) {
	tryMutants(t, func(m mutant) bool { return slices.Contains(shown, m.rule) })
}

// TestMutantsLong plants all bugs, and then none.
func TestMutantsLong(t *testing.T) {
	tryMutants(t, func(mutant) bool { return true })
	for where, also := range map[string][]mutant{"little_fits": narrow, "hashes_are_equal": {equalHashes}} {
		t.Run("none_where_"+where, func(t *testing.T) {
			t.Parallel()
			whole := mutant{file: "consumer/protocol/trim.go", old: "package protocol", new: "package protocol"}
			if out, err := simulate(t, whole.build(t, also...), "TestChangeLong", soundSteps); err != nil {
				t.Fatalf("without a bug the simulation where %s ends with %v:\n%s", where, err, out)
			}
		})
	}
}

// tryMutants plants one of these bugs after the other.
func tryMutants(t *testing.T, these func(mutant) bool) {
	try := func(mutants []mutant, test string, also ...mutant) {
		for _, m := range mutants {
			if !these(m) {
				continue
			}
			t.Run(strings.ReplaceAll(m.rule, " ", "_"), func(t *testing.T) {
				t.Parallel()
				out, err := simulate(t, m.build(t, also...), test, mutantSteps)
				if err == nil {
					t.Fatalf("it is not caught: %s", out)
				}
				ended := slices.Contains(panics, m.rule) && strings.Contains(out, "panic: runtime error")
				if !ended && !strings.Contains(out, "1 violation") {
					t.Fatalf("the simulation ends with %v, and not by one violation:\n%s", err, out)
				}
				t.Log(out)
			})
		}
	}
	try(mutants, "TestSimulateLong")
	try(loopMutants, "TestSimulateLong")
	try(backfillMutants, "TestBackfillLong")
	try(fillMutants, "TestFillLong")
	try(successionMutants, "TestSuccessionLong")
	try(changeMutants, "TestChangeLong", narrow...)
	try(filesMutants, "TestChangeLong")
	try(hashMutants, "TestChangeLong", equalHashes)
	try(outageMutants, "TestOutageLong")
	try(requestMutants, "TestRequestsLong")
}

func simulate(t *testing.T, program, test string, steps int) (string, error) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), program, "-test.run", "^"+test+"$", "-steps", strconv.Itoa(steps)).CombinedOutput()
	return string(out), err
}

// build makes these tests with the bug in what they test, and with what else is replaced.
func (m *mutant) build(t *testing.T, also ...mutant) string {
	t.Helper()
	root, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "simulate")
	replaced := map[string]string{}
	for _, e := range append(slices.Clone(also), *m) {
		path := filepath.Join(root, e.file)
		from := path
		if wrong, again := replaced[path]; again {
			from = wrong
		}
		text, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), e.old); n != 1 {
			t.Fatalf("%q stands %d times in %s: say again where the bug is to be", e.old, n, e.file)
		}
		replaced[path] = filepath.Join(dir, strings.ReplaceAll(e.file, "/", "_"))
		if err := os.WriteFile(replaced[path], []byte(strings.Replace(string(text), e.old, e.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": replaced})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "overlay.json"), overlay, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-vet=off", "-ldflags=-s -w", "-overlay",
		filepath.Join(dir, "overlay.json"), "-o", program, "./consumer/protocol/sim")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the simulation with the bug ends with %v:\n%s", err, out)
	}
	return program
}
