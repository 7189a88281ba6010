package sim

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

// TestStories tells what testdata has, step by step: histories of the whole protocol for people to read. In a story
// nothing goes wrong but what it says. Run with -rewrite it writes down what happens now; read what has changed then.
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		var s story
		datadriven.RunTest(t, path, s.tell)
	})
}

// story is a history that commands lead.
type story struct {
	world *World
	told  int // lines of its trace
}

// tell does what a command says, and returns what happens then:
//
//	world members=2 partitions=2 documents=3    all begins; with fills=1, by a fill
//	until "TEXT"                                steps follow, until one says this
//	settle                                      steps follow, until all is forwarded and committed
//	kill 0                                      a process is killed, and starts again in what follows
//	away                                        the journal takes nothing any more, and documents are passed on
//	back                                        it takes appends again
func (s *story) tell(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	if d.Cmd == "world" {
		s.begin(t, d)
	}
	w := s.world
	switch d.Cmd {
	case "world":
	case "until":
		s.steps(t, d, func() bool {
			return slices.ContainsFunc(w.trace[s.told:], func(line string) bool { return strings.Contains(line, strings.Join(keys(d), " ")) })
		})
	case "settle":
		s.steps(t, d, w.finished)
		w.checkEnd()
	case "kill":
		var number int
		if _, err := fmt.Sscan(d.CmdArgs[0].Key, &number); err != nil {
			d.Fatalf(t, "%v", err)
		}
		w.kill(w.members[number])
		w.members[number] = nil
	case "away", "back":
		w.away = d.Cmd == "away"
	default:
		d.Fatalf(t, "a story has no command %q", d.Cmd)
	}
	if w.failure != "" {
		d.Fatalf(t, "a promise is broken: %s", w.failure)
	}
	lines := w.trace[s.told:]
	s.told = len(w.trace)
	var out strings.Builder
	for _, line := range lines {
		_, what, _ := strings.Cut(strings.TrimLeft(line, " "), "  ")
		fmt.Fprintln(&out, what)
	}
	return out.String()
}

func keys(d *datadriven.TestData) (words []string) {
	for _, arg := range d.CmdArgs {
		words = append(words, arg.String())
	}
	return words
}

func (s *story) begin(t *testing.T, d *datadriven.TestData) {
	t.Helper()
	p := Params{Sessions: 1, Contents: 4, Poll: 3, Entries: 3, Arrived: true, Outages: true}
	d.ScanArgs(t, "members", &p.Members)
	d.ScanArgs(t, "partitions", &p.Partitions)
	d.ScanArgs(t, "documents", &p.Documents)
	if d.HasArg("fills") {
		d.ScanArgs(t, "fills", &p.Fills)
		p.Past, p.Feeds, p.Queued, p.Outages = 3, 2, 400, false
	}
	w := New(p, 1)
	w.faults, w.tracing = false, true
	*s = story{world: w}
}

// steps follow until something is so.
func (s *story) steps(t *testing.T, d *datadriven.TestData, until func() bool) {
	t.Helper()
	for s.world.steps = 0; !until() && s.world.failure == ""; {
		if s.world.steps++; s.world.steps > patience {
			d.Fatalf(t, "it never happens")
		}
		s.world.step()
	}
}
