//go:build unix

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"
)

func main() {
	// On Linux the servers are killed when the thread that started them dies. This thread lives as long as the process.
	runtime.LockOSThread()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "chaos:", err)
		os.Exit(1)
	}
}

// errFindings is returned after a report with findings.
var errFindings = errors.New("there are findings")

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	p, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if p.plan {
		for _, e := range schedule(p, storeOf(p)) {
			fmt.Fprintln(stdout, e)
		}
		return nil
	}
	w, err := open(ctx, p, stdout)
	if err != nil {
		return err
	}
	defer func() {
		keep := p.debug || err != nil && ctx.Err() == nil // whoever interrupts a run wants no evidence
		w.close(keep)
		if keep {
			fmt.Fprintln(stdout, "the servers' data, the configuration and the members' logs are kept in", w.dir)
		}
	}()
	if p.soak > 0 {
		return soak(ctx, w, p, stdout)
	}
	return several(ctx, w, p, stdout)
}

// several makes one run after another until one has a finding.
func several(ctx context.Context, w *world, p params, out io.Writer) error {
	var all sum
	defer func() { fmt.Fprintf(out, "\n%s\n", &all) }()
	for range p.runs {
		r, err := one(ctx, w, p, out)
		if err != nil {
			return fmt.Errorf("seed %d: %w", p.seed, err)
		}
		r.print(out)
		all.add(r)
		if !r.ok() {
			return errFindings
		}
		p.seed++
		if err := until(ctx, "all replicas are in sync", commitTimeout, w.healthy); err != nil {
			return err
		}
	}
	return nil
}

// one makes one run: chaos, and the audit after it.
func one(ctx context.Context, w *world, p params, out io.Writer) (_ *result, err error) {
	store := storeOf(p)
	s, err := newScene(ctx, w, p, store, false)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "seed %d begins at %s\n", p.seed, time.Now().UTC().Format(time.TimeOnly))
	began := time.Now()
	act := func(ctx context.Context) error { return s.perform(ctx, schedule(p, store), out) }
	ended := s.run(ctx, act)
	defer func() {
		if ctx.Err() != nil {
			err = errors.Join(err, s.unmount())
		}
	}()
	r := s.result(time.Since(began))
	if ended != nil {
		r.endingsTo(out)
		return nil, ended
	}
	if r.alarms, err = alarms(s.dir); err != nil {
		return nil, err
	}
	r.alarms = append(r.alarms, s.found...)
	if err := s.judge(ctx, r); err != nil {
		return nil, err
	}
	if !r.ok() {
		return r, nil // the topics are kept as evidence
	}
	return r, s.close(ctx)
}

func (s *scene) result(took time.Duration) *result {
	_, sent := s.load.written()
	r := &result{
		seed: s.params.seed, store: s.store, took: took, documents: sent, done: s.done, endings: map[string]int{},
		waits: s.watch.waited(),
	}
	for _, m := range s.members {
		r.lives += m.lives
		for why, n := range m.seen.why {
			r.endings[why] += n
		}
	}
	return r
}

// storeOf returns the store that the flags or the seed select.
func storeOf(p params) string {
	switch {
	case p.store != "":
		return p.store
	case p.seed%3 == 0:
		return directory
	case p.seed%3 == 1 && p.s3 != "":
		return bucket
	}
	return postgres
}
