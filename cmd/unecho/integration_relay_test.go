package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
)

// relay is two groups that take over from each other by turns, while commands and members are killed.
type relay struct {
	*scene
	r       *rand.Rand
	names   [2]string
	files   [2]string
	up      [2]*process // the member of each group
	turns   int
	newer   int // the group that takes over in this turn
	command *process
	retired bool           // the old group is known to have retired in this turn
	kills   map[string]int // those within a handover, by what was killed
	vain    int            // kills at other moments
}

// What is killed.
const (
	theCommand  = "command"
	theNew      = "new"
	theOld      = "old"
	theReturned = "returned" // a member of the old group that is started after that group has retired
)

// What a handover says when it comes to a step.
const (
	saysRetires  = "retires"
	saysWaiting  = "waiting for members"
	saysForwards = "forwards"
)

// saysFilled is what a member says that has filled its window.
const saysFilled = "the window is filled"

// newRelay starts a group with word:3, and one with char:5 that follows it.
func newRelay(t *testing.T, seed uint64) *relay {
	t.Helper()
	const partitions = 4
	s := newScene(t, partitions)
	s.configure(noOps)
	x := &relay{
		scene: s, r: rand.New(rand.NewPCG(seed, 9)), names: [2]string{s.name, s.name + "-2"}, kills: map[string]int{},
	}
	x.files[0] = s.deployment(x.names[0], "", shingles[0])
	s.produce(500, 1)
	x.live(0)
	s.settled()
	x.up[0].kill()
	x.follows(0) // says nothing as long as it forwards
	x.live(0)
	x.follows(1)
	x.live(1)
	return x
}

// shingles are what the settings of the two groups differ in.
var shingles = [2]string{"word:3", "char:5"}

// follows writes the configuration with which a group is to take over from the other one.
func (x *relay) follows(group int) {
	x.t.Helper()
	other := 1 - group
	x.files[group] = x.deployment(x.names[group], x.names[other], shingles[group])
}

func (x *relay) journalOf(group int) string { return x.names[group] + ".journal" }

// of is the scene of one of the two groups.
func (x *relay) of(group int) *scene {
	s := *x.scene
	s.name = x.names[group]
	return &s
}

// live starts the member of a group.
func (x *relay) live(group int) { x.up[group] = start(x.t, x.dir, "run", "--config", x.files[group]) }

// counted is how many kills fell within handovers.
func (x *relay) counted() (n int) {
	for _, of := range x.kills {
		n += of
	}
	return n
}

// turn has the other group take over, and kills so many processes meanwhile, unless it is complete before.
func (x *relay) turn(most int) {
	x.t.Helper()
	x.begin()
	for most += x.counted(); x.counted() < most && !x.complete(); {
		x.strike()
	}
	if x.command.over() {
		x.commands()
	}
	if code := x.command.exits(patience); code != 0 || !x.complete() {
		x.t.Fatalf("the handover ends with %d, complete: %v", code, x.complete())
	}
}

// begin waits until the group that is to take over has filled its window, and the other one is at work. A group that has
// retired begins anew, with another journal of the same name.
func (x *relay) begin() {
	x.t.Helper()
	x.newer, x.command, x.retired = 1-x.newer, nil, false
	if x.turns++; x.turns > 1 {
		x.until("its members end", func(context.Context) bool { return x.up[x.newer].over() })
		x.deletes(x.journalOf(x.newer))
		x.follows(x.newer)
		x.live(x.newer)
	}
	x.up[x.newer].says(saysFilled)
	x.until("its journal says so", func(context.Context) bool { return x.duty(x.newer).Ready > 0 })
	from := int64(0)
	was := x.duty(1 - x.newer)
	for _, b := range was.From {
		from += b.Offset
	}
	x.of(1 - x.newer).reaches(from + 1)
	x.commands()
}

// commands starts the command of the handover.
func (x *relay) commands() {
	x.command = start(x.t, x.dir, "takeover", "--config", x.files[x.newer])
}

// duty reads what the journal of a group has it do.
func (x *relay) duty(group int) protocol.Duty {
	x.t.Helper()
	j := routing.Journal{Options: x.kafka, Topic: x.journalOf(group), Group: x.names[group]}
	state, err := j.Read(x.t.Context())
	check(x.t, err)
	d, err := routing.DutyOf(state.Routes.Text)
	check(x.t, err)
	return d
}

// complete says whether the new group forwards, by its journal.
func (x *relay) complete() bool {
	x.t.Helper()
	is := x.duty(x.newer)
	was := x.duty(1 - x.newer)
	x.retired = x.retired || was.Kind == protocol.Retired
	return is.Kind == protocol.Forwards
}

// has says whether the command that was started last has said something.
func (x *relay) has(said string) bool { return strings.Contains(x.command.out.String(), said) }

// strike kills one process at a chosen moment, and starts it again. The journals said before that the handover was not
// complete. A kill counts if the handover had begun before it, and was not complete after it. As long as the command
// has not said that the new group forwards, it was not. After that the journals tell.
func (x *relay) strike() {
	x.t.Helper()
	what := x.prepare()
	if what == "" || !x.moment(what) {
		return
	}
	victim := map[string]*process{theNew: x.up[x.newer], theOld: x.up[1-x.newer], theReturned: x.up[1-x.newer]}[what]
	if victim == nil || victim.over() {
		what, victim = theCommand, x.command
	}
	begun := x.retired || x.has(saysRetires)
	victim.kill()
	switch {
	case victim.cmd.ProcessState.ExitCode() >= 0: // it had ended by itself
	case begun && (!x.has(saysForwards) || !x.complete()):
		x.kills[what]++
	default:
		x.vain++
	}
	switch {
	case what == theNew:
		x.live(x.newer)
	case what == theOld && x.r.IntN(6) > 0: // otherwise the group has to find out that it is gone
		x.live(1 - x.newer)
	}
}

// prepare chooses what is to be killed, and sees to it that this is at work, and the command too. It chooses nothing if the
// handover is complete meanwhile.
func (x *relay) prepare() (what string) {
	x.t.Helper()
	if x.command.failed() {
		x.t.Fatalf("the handover failed: %s%s", x.command.log, x.command.out)
	}
	if x.up[x.newer].over() {
		x.t.Fatalf("a member of the group that takes over has ended: %v", x.up[x.newer].err)
	}
	what = []string{theCommand, theNew, theOld, theOld}[x.r.IntN(4)]
	if x.retired {
		what = []string{theCommand, theCommand, theNew, theOld}[x.r.IntN(4)]
	}
	over := x.command.over()
	if over && x.complete() {
		return ""
	}
	if over {
		x.up[x.newer].says(saysFilled)
	}
	if what == theOld && x.up[1-x.newer].over() {
		what = theReturned
		x.live(1 - x.newer)
	}
	if over {
		x.commands()
	}
	return what
}

// moment waits for the moment of a kill: a step of the command, or some time within the handover. It comes at the
// latest when the command says that the new group forwards. It returns false if the command ended before.
func (x *relay) moment(what string) bool {
	x.t.Helper()
	steps, begins, within := []string{saysRetires, saysWaiting, saysForwards, ""}, saysRetires, 300
	if x.retired { // which is said once
		steps, begins = []string{saysForwards, "", ""}, ""
	}
	switch what { // the old one ends soon, and what is killed late is killed too late
	case theOld:
		steps, within = []string{begins, ""}, 50
	case theNew:
		steps, within = []string{begins, ""}, 150
	}
	step := steps[x.r.IntN(len(steps))]
	ctx, cancel := context.WithTimeout(x.t.Context(), patience)
	defer cancel()
	if step != "" {
		return x.command.out.await(ctx, step, saysForwards) == nil
	}
	if x.command.out.await(ctx, begins) != nil {
		return false
	}
	ctx, cancel = context.WithTimeout(ctx, time.Duration(x.r.IntN(within))*time.Millisecond)
	defer cancel()
	return !errors.Is(x.command.out.await(ctx, saysForwards), errEnded)
}
