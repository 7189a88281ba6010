//go:build unix

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"
)

// params are the values of the flags.
type params struct {
	seed       uint64
	runs       int
	length     time.Duration // of the time with faults, in one run
	members    int
	partitions int
	rate       int           // documents a second
	killEvery  time.Duration // mean time between two kills
	faultEvery time.Duration // mean time between two other faults
	store      string
	s3         string        // the program versitygw; empty: there is no bucket
	skew       time.Duration // the most by which members' clocks are off
	serverSkew time.Duration // the most by which those of brokers and PostgreSQL are
	race       bool
	bug        string // planted in the members; empty: none
	plan       bool
	names      string // of the members
	debug      bool
	soak       time.Duration // 0: chaos
	cache, pom string
	brokerDisk bool // the last broker has a disk of its own, which can be filled
}

// These are the ways in which members get their names.
const (
	mixed      = "mixed"
	configured = "configured"
	leased     = "leased"
)

func parse(args []string, stderr io.Writer) (params, error) {
	var p params
	var minutes float64
	flags := flag.NewFlagSet("chaos", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Uint64Var(&p.seed, "seed", rand.Uint64N(1_000_000), "the schedule; further runs take the numbers after it")
	flags.IntVar(&p.runs, "runs", 1, "runs, one after another on the same servers")
	flags.Float64Var(&minutes, "minutes", 5,
		"how long things are broken in a run; starting, settling and auditing come on top")
	flags.IntVar(&p.members, "members", 4, "processes")
	flags.IntVar(&p.partitions, "partitions", 8, "partitions of the source topic")
	flags.IntVar(&p.rate, "rate", 400, "documents a second")
	flags.DurationVar(&p.killEvery, "kill-every", 2*time.Second, "SIGKILL of a member, on average; 0 for none")
	flags.DurationVar(&p.faultEvery, "fault-every", 8*time.Second, "any other fault, on average; 0 for none")
	flags.StringVar(&p.store, "store", "", "postgres, directory or bucket (default: drawn by the seed)")
	flags.StringVar(&p.s3, "s3", "", "a store that speaks S3, for a bucket: the program versitygw")
	flags.DurationVar(&p.skew, "skew", 2*time.Hour, "the most by which members' clocks are set off, 0 for not at all; "+
		"else their binary is built anew, once, with all of the standard library")
	flags.DurationVar(&p.serverSkew, "server-skew", 2*time.Hour,
		"the most by which the clocks of brokers and PostgreSQL are set off, 0 for not at all; else libfaketime is needed")
	flags.BoolVar(&p.race, "race", false, "build the members with the race detector")
	flags.StringVar(&p.bug, "bug", "", "plant a `bug` in the members, which the audit has to find: "+bugNames())
	flags.BoolVar(&p.plan, "plan", false, "print the schedule and end")
	flags.StringVar(&p.names, "names", mixed,
		"configured (all members have an advanced.member), leased (none has), or mixed (every other one)")
	flags.BoolVar(&p.debug, "debug", false, "have the members log in detail, and keep what they and the servers wrote")
	flags.DurationVar(&p.soak, "soak", 0, "in place of chaos: `so long` load alone, and a look at memory and goroutines")
	flags.StringVar(&p.cache, "cache", ".cache", "directory for Kafka's jars")
	flags.StringVar(&p.pom, "pom", "deploy/dev/pom.xml", "the Maven file that names Kafka's version")
	if err := flags.Parse(args); err != nil {
		return p, err
	}
	p.length = time.Duration(minutes * float64(time.Minute))
	if flags.NArg() > 0 {
		return p, fmt.Errorf("what is %q? Possible are only flags: see -help", strings.Join(flags.Args(), " "))
	}
	return p, p.validate()
}

// burst is the factor of the rate during a twentieth of the soak.
const burst = 100

// pace returns how many documents per second are written at a time of the run.
func (p params) pace(at time.Duration) float64 {
	if at >= p.soak/20 && at < p.soak/10 {
		return float64(p.rate * burst)
	}
	return float64(p.rate)
}

func (p params) validate() error {
	var errs []error
	for _, bad := range []struct {
		is      bool
		problem string
	}{
		{p.runs < 1, "-runs is at least 1"},
		{p.length < time.Second, "-minutes is at least a sixtieth"},
		{p.members < 2, "-members is at least 2: someone must take over"},
		{p.partitions < 1, "-partitions is at least 1"},
		{p.rate < 1, "-rate is at least 1"},
		{p.killEvery < 0 || p.faultEvery < 0, "-kill-every and -fault-every are not negative"},
		{p.skew < 0 || p.serverSkew < 0, "-skew and -server-skew are not negative"},
		{p.store != "" && p.store != postgres && p.store != directory && p.store != bucket, "-store is postgres, directory or bucket"},
		{p.store == bucket && p.s3 == "", "-store=bucket takes -s3"},
		{p.bug != "" && bugs()[p.bug] == bug{}, "-bug is one of " + bugNames()},
		{p.soak < 0, "-soak is not negative"},
		{p.names != mixed && p.names != configured && p.names != leased, "-names is mixed, configured or leased"},
	} {
		if bad.is {
			errs = append(errs, errors.New(bad.problem))
		}
	}
	return errors.Join(errs...)
}
