package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/pprof"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	p, err := parse(args, stderr)
	if err != nil {
		return err
	}
	if p.profile != "" {
		file, err := os.Create(p.profile)
		if err != nil {
			return fmt.Errorf("write a profile: %w", err)
		}
		defer file.Close()
		if err := pprof.StartCPUProfile(file); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	fmt.Fprintf(stdout, "%s; load average before %s\n", machine(), load())
	of, head, conditions := throughputs, summaryHead, p.pairsText()
	if len(p.rates) > 0 {
		of, head = latencies, latencySummaryHead
	}
	var rows []string
	for _, broker := range p.brokers {
		c, err := openCluster(ctx, broker)
		if err != nil {
			return fmt.Errorf("measure on %s: %w", broker, err)
		}
		some, err := of(ctx, p, c, stdout)
		c.close()
		if err != nil {
			return fmt.Errorf("measure on %s: %w", broker, err)
		}
		rows = append(rows, some...)
	}
	if p.rivals || p.files {
		return nil // turns has written its own table
	}
	fmt.Fprintf(stdout, "\n%s\n\n%s\n%s\n", conditions, head, strings.Join(rows, "\n"))
	return nil
}

func (p params) pairsText() string {
	return fmt.Sprintf("Median and spread of %d pairs; %s; documents of %d bytes, %d partitions, %d sessions, outputs "+
		"compressed with %s.", p.pairs, machine(), p.bytes, p.partitions, p.sessions, compression)
}

// throughputs runs all series on one broker.
func throughputs(ctx context.Context, p params, c *cluster, out io.Writer) (rows []string, err error) {
	j := job{cluster: c, source: runID(), documents: p.documents, partitions: p.partitions, sessions: p.sessions}
	if j.documents == 0 {
		j.documents = c.documents
	}
	if err := c.create(ctx, j.source, p.partitions); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, c.remove(ctx, "", j.source)) }()
	began := time.Now()
	if err := c.fill(ctx, j.source, p.partitions, j.documents, newCorpus(p.seed, p.bytes)); err != nil {
		return nil, err
	}
	fmt.Fprintf(out, "\n%s: %s documents of %d bytes in %d partitions, written in %.1f s\n",
		c.name, thousands(float64(j.documents)), p.bytes, p.partitions, time.Since(began).Seconds())
	if p.files {
		return nil, p.inFiles(ctx, j, out)
	}
	copies := asUnecho()
	if !p.untuned {
		if copies, err = tune(ctx, j, copies, out); err != nil {
			return nil, err
		}
	}
	if p.rivals {
		return nil, p.race(ctx, j, copies, out)
	}
	for _, verify := range p.verifies {
		fmt.Fprintf(out, "\n%s, verify: %s\n\n", c.name, verify)
		pairs, err := p.series(j, copies, verify, out).run(ctx)
		if err != nil {
			return nil, err
		}
		details(out, pairs)
		rows = append(rows, summary(c.name, verify, pairs))
	}
	return rows, nil
}

func (p params) filter(verify string) filter {
	return filter{verify: verify, shingle: p.shingle, evidence: p.evidence, backfill: p.backfill, logger: logger()}
}

// series are pairs of the copy and unecho.
func (p params) series(j job, copies bareCopy, verify string, out io.Writer) race {
	return race{
		job: j, rounds: p.pairs, out: out, head: tableHead, row: tableRow,
		entrants: []entrant{{"copy", "copy", copies}, {"unecho", verify, p.filter(verify)}},
	}
}
