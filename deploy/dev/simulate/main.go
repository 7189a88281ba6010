// Simulate makes up histories of the protocol, seed after seed, until one breaks a promise or the steps are done.
//
//	go run ./deploy/dev/simulate -steps 100000000     from seed 1 on
//	go run ./deploy/dev/simulate -seed 744            the history of one seed, a line a step
//	go run ./deploy/dev/simulate -seed 744 -shrink    a shorter one that breaks something as well
//	go run ./deploy/dev/simulate -mishaps 2           a small world: each two things that can go wrong, seed after seed
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/unecho/unecho/consumer/protocol/sim"
)

func main() {
	seed := flag.Uint64("seed", 0, "print the history of this seed")
	shrink := flag.Bool("shrink", false, "with -seed: look for a shorter history that breaks something")
	first := flag.Uint64("first", 1, "the first seed")
	steps := flag.Int("steps", 10_000_000, "how many steps to simulate")
	mishaps := flag.Int("mishaps", 0, "explore a small world, with every choice of so many mishaps")
	flag.Parse()
	debug.SetGCPercent(400) // little lives, and much is made
	var holds bool
	switch {
	case *seed > 0:
		holds = show(*seed, *shrink)
	case *mishaps > 0:
		holds = explore(*first, *steps, *mishaps)
	default:
		holds = search(*first, *steps)
	}
	if !holds {
		os.Exit(1)
	}
}

func show(seed uint64, shrink bool) bool {
	p := sim.Vary(seed)
	if shrink {
		p, seed, _ = sim.Shrink(p, seed)
	}
	r := sim.Run(p, seed, true)
	fmt.Printf("%+v, seed %d\n", p, seed)
	for _, line := range r.Trace {
		fmt.Println(line)
	}
	return r.Failure == ""
}

func search(first uint64, steps int) bool {
	began, said, done := time.Now(), time.Now(), 0
	seed := first
	tell := func(what string) {
		fmt.Printf("seeds %d to %d: %d steps in %.0f s, %s\n", first, seed-1, done, time.Since(began).Seconds(), what)
	}
	for done < steps {
		r := sim.Run(sim.Vary(seed), seed, false)
		seed++
		done += r.Steps
		if r.Failure != "" {
			tell("1 violation")
			fmt.Printf("%s\n  see it: go run ./deploy/dev/simulate -seed %d\n", r.Failure, seed-1)
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

func explore(first uint64, steps, mishaps int) bool {
	began, done, histories := time.Now(), 0, 0
	for seed := first; done < steps; seed++ {
		e := sim.Explore(sim.Small(), seed, mishaps)
		done += e.Steps
		histories += e.Histories
		fmt.Printf("seeds %d to %d, up to %d mishaps: %d histories, %d steps in %.0f s\n", first, seed, mishaps, histories, done, time.Since(began).Seconds())
		if e.Last.Failure != "" {
			fmt.Println(strings.Join(e.Last.Trace, "\n"))
			return false
		}
	}
	return true
}
