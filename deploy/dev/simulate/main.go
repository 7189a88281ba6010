// Simulate makes up histories of the protocol, seed after seed, until one breaks a promise or all steps are done.
//
//	go run ./deploy/dev/simulate -steps 100000000     from seed 1 on
//	go run ./deploy/dev/simulate -seed 744            the history of one seed, a line a step
//	go run ./deploy/dev/simulate -seed 744 -shrink    a shorter one that breaks something as well
//	go run ./deploy/dev/simulate -backfill ...        the same of groups that replay a range
//	go run ./deploy/dev/simulate -fill ...            the same of groups whose windows are filled before they judge
//	go run ./deploy/dev/simulate -succession ...      the same of groups that take over from each other
//	go run ./deploy/dev/simulate -change ...          the same of groups whose bounds and documents people change
//	go run ./deploy/dev/simulate -requests ...        the same of groups whose documents come with idempotency keys
//	go run ./deploy/dev/simulate -outage ...          the same of groups that pass documents on without their journal
//	go run ./deploy/dev/simulate -explore network     a small world, whole: every order of all events in it
//	go run ./deploy/dev/simulate -explore all         all small worlds, one after another
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/unecho/unecho/consumer/protocol/sim"
)

func main() {
	seed := flag.Uint64("seed", 0, "print the history of this seed")
	shrink := flag.Bool("shrink", false, "with -seed: look for a shorter history that breaks something")
	backfill := flag.Bool("backfill", false, "the group is a backfill")
	fill := flag.Bool("fill", false, "a history begins with fills")
	succession := flag.Bool("succession", false, "groups take over from each other")
	change := flag.Bool("change", false, "bounds are changed and documents erased")
	outage := flag.Bool("outage", false, "documents are passed on while the journal is away")
	requests := flag.Bool("requests", false, "documents come with idempotency keys")
	first := flag.Uint64("first", 1, "the first seed")
	steps := flag.Int("steps", 10_000_000, "how many steps to simulate")
	world := flag.String("explore", "", "explore small `worlds` whole; some of "+names()+", or all")
	states := flag.Int("states", 5_000_000,
		"with -explore: give a world up that has so many states; a million takes some 500 MB")
	flag.Parse()
	debug.SetGCPercent(400) // nearly everything that is allocated is soon garbage
	vary := sim.Vary
	switch {
	case *backfill:
		vary = sim.VaryBackfill
	case *fill:
		vary = sim.VaryFilled
	case *change:
		vary = sim.VaryChanged
	case *outage:
		vary = sim.VaryOutage
	case *requests:
		vary = sim.VaryRequests
	}
	run := func(seed uint64, trace bool) sim.Result { return sim.Run(vary(seed), seed, trace) }
	if *succession {
		run = sim.RunSuccession
	}
	var holds bool
	switch {
	case *seed > 0 && *shrink:
		p, shorter, _ := sim.Shrink(vary(*seed), *seed)
		fmt.Printf("%+v, seed %d\n", p, shorter)
		holds = show(sim.Run(p, shorter, true))
	case *seed > 0:
		holds = show(run(*seed, true))
	case *world != "":
		holds = exploreAll(*world, *states)
	default:
		holds = search(run, *first, *steps)
	}
	if !holds {
		os.Exit(1)
	}
}

func show(r sim.Result) bool {
	for _, line := range r.Trace {
		fmt.Println(line)
	}
	return r.Failure == ""
}

func search(run func(uint64, bool) sim.Result, first uint64, steps int) bool {
	began, said, done := time.Now(), time.Now(), 0
	seed := first
	tell := func(what string) {
		fmt.Printf("seeds %d to %d: %d steps in %.0f s, %s\n", first, seed-1, done, time.Since(began).Seconds(), what)
	}
	for done < steps {
		r := run(seed, false)
		seed++
		done += r.Steps
		if r.Failure != "" {
			tell("1 violation")
			fmt.Printf("%s\n  see it: go run ./deploy/dev/simulate%s -seed %d\n", r.Failure, kind(), seed-1)
			return false
		}
		if time.Since(said) > time.Minute {
			said = time.Now()
			tell("no violation so far")
		}
	}
	tell("no violation")
	return true
}

// kind is the flag that has a seed tell the same history again.
func kind() (name string) {
	flag.Visit(func(f *flag.Flag) {
		if f.Value.String() == "true" {
			name += " -" + f.Name
		}
	})
	return name
}

func names() string {
	var all []string
	for _, s := range sim.Smalls() {
		all = append(all, s.Name)
	}
	return strings.Join(all, ", ")
}

func exploreAll(name string, most int) bool {
	found := false
	for _, s := range sim.Smalls() {
		if name != "all" && !slices.Contains(strings.Split(name, ","), s.Name) {
			continue
		}
		found = true
		if !explore(s, most) {
			return false
		}
	}
	if !found {
		fmt.Printf("there is no world %s: possible are all, %s\n", name, names())
	}
	return found
}

func explore(s sim.Small, most int) bool {
	began, said := time.Now(), time.Now()
	tell := func(e sim.Explored, what string) {
		fmt.Printf("%-10s  %7d states, %8d moves, depth %3d, %6.1f s: %s\n", s.Name, e.States, e.Moves, e.Depth,
			time.Since(began).Seconds(), what)
	}
	e := sim.Explore(s, most, func(e sim.Explored) {
		if time.Since(said) > 30*time.Second {
			said = time.Now()
			tell(e, "no violation so far")
		}
	})
	switch {
	case e.Failure != "":
		tell(e, "1 violation")
		fmt.Println(strings.Join(e.Trace, "\n"))
	case !e.Whole:
		tell(e, "given up: more states than -states allows")
	default:
		tell(e, "whole, no violation")
	}
	return e.Failure == "" && e.Whole
}
