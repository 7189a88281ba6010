package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
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
	fmt.Fprintf(stdout, "%s; load average before %s\n", machine(), load())
	var rows []summary
	for _, broker := range p.brokers {
		of, err := measure(ctx, p, broker, stdout)
		if err != nil {
			return fmt.Errorf("measure on %s: %w", broker, err)
		}
		rows = append(rows, of...)
	}
	if p.rivals {
		return nil // race has written its own table
	}
	fmt.Fprintf(stdout, "\nMedian and spread of %d pairs; %s; documents of %d bytes, %d partitions, %d sessions, "+
		"outputs compressed with %s.\n\n%s\n",
		p.pairs, machine(), p.bytes, p.partitions, p.sessions, p.compression, summaryHead)
	for _, row := range rows {
		fmt.Fprintln(stdout, row.row())
	}
	return nil
}

// measure runs all series on one broker.
func measure(ctx context.Context, p params, broker string, out io.Writer) (rows []summary, err error) {
	c, err := openCluster(ctx, broker)
	if err != nil {
		return nil, err
	}
	defer c.close()
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
	codec, _ := p.codec()
	copies := asUnecho(codec)
	if !p.untuned {
		if copies, err = tune(ctx, j, copies, out); err != nil {
			return nil, err
		}
	}
	if p.rivals {
		return nil, p.race(ctx, j, copies, out)
	}
	for _, verify := range p.verifies {
		row, err := p.series(ctx, j, copies, broker, verify, out)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}

func (p params) filter(verify string) filter {
	return filter{
		verify: verify, poll: p.poll, shingle: p.shingle, evidence: p.evidence, backfill: p.backfill,
		compression: p.compression, logger: logger(),
	}
}

func (p params) series(ctx context.Context, j job, copies bareCopy, broker, verify string,
	out io.Writer,
) (summary, error) {
	fmt.Fprintf(out, "\n%s, verify: %s\n\n", j.cluster.name, verify)
	s := series{
		job: j, verify: verify, copies: copies, pairs: p.pairs, out: out, filter: p.filter(verify),
	}
	if p.profile != "" {
		s.profile = fmt.Sprintf("%s.%s.%s", p.profile, broker, verify)
	}
	pairs, err := s.run(ctx)
	if err != nil {
		return summary{}, err
	}
	details(out, pairs)
	return summarise(j.cluster.name, verify, pairs), nil
}
