// Simulate makes up histories of the protocol, seed after seed, until one breaks a promise or the steps are done.
//
//	go run ./deploy/dev/simulate -steps 100000000     from seed 1 on
//	go run ./deploy/dev/simulate -seed 744            the history of one seed, a line a step
//	go run ./deploy/dev/simulate -seed 744 -shrink    a shorter one that breaks something as well
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"time"

	"github.com/unecho/unecho/consumer/protocol/sim"
)

func main() {
	seed := flag.Uint64("seed", 0, "print the history of this seed")
	shrink := flag.Bool("shrink", false, "with -seed: look for a shorter history that breaks something")
	first := flag.Uint64("first", 1, "the first seed")
	steps := flag.Int("steps", 10_000_000, "how many steps to simulate")
	flag.Parse()
	debug.SetGCPercent(400) // little lives, and much is made
	if *seed > 0 && !show(*seed, *shrink) || *seed == 0 && !search(*first, *steps) {
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
