package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"strings"

	"github.com/unecho/unecho/deploy/dev/bench/rivals"
)

// race is a sequence of rounds. In each round every entrant runs once, on the same source.
type race struct {
	job      job
	entrants []entrant // the first one is the measure of the others
	rounds   int
	out      io.Writer
	head     string // of the table of rounds
	row      func(name, first string, results round) string
}

// entrant is a contender with its name in the table, and in the names of its topics.
type entrant struct {
	name, topics string
	who          contender
}

// round holds the results in the order of the entrants.
type round []result

// The results of a pair, which is a round of two.
const theCopy, unecho = 0, 1

// ratio is that of a pair.
func (r round) ratio() float64 { return r[unecho].rate() / r[theCopy].rate() }

// run measures the rounds. Each round begins with the next entrant. The first round only warms up, which Java needs.
func (r race) run(ctx context.Context) ([]round, error) {
	var rounds []round
	fmt.Fprintln(r.out, r.head)
	for n := range r.rounds + 1 {
		results, err := r.round(ctx, n)
		if err != nil {
			return nil, err
		}
		name := "warm-up, not counted"
		if n > 0 {
			name = fmt.Sprint(n)
			rounds = append(rounds, results)
		}
		fmt.Fprintln(r.out, r.row(name, r.entrants[n%len(r.entrants)].name, results))
	}
	return rounds, nil
}

func (r race) round(ctx context.Context, n int) (round, error) {
	results := make(round, len(r.entrants))
	for k := range r.entrants {
		at := (n + k) % len(r.entrants)
		e := r.entrants[at]
		var err error
		pprof.Do(ctx, pprof.Labels("contender", e.topics), func(ctx context.Context) { // for -cpuprofile
			results[at], err = single(ctx, r.job, e.who, fmt.Sprintf("%s-%s-%d", r.job.source, e.topics, n))
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.name, err)
		}
	}
	return results, nil
}

// rates are the head and the rows of a table of the rounds' documents/s.
func rates(entrants []entrant) (head string, row func(string, string, round) string) {
	names, lines := []string{"round", "first"}, []string{"---", "---"}
	for _, e := range entrants {
		names, lines = append(names, e.name), append(lines, "---:")
	}
	return fmt.Sprintf("| %s |\n| %s |", strings.Join(names, " | "), strings.Join(lines, " | ")), ratesRow
}

func ratesRow(name, first string, results round) string {
	cells := []string{name, first}
	for _, one := range results {
		cells = append(cells, thousands(one.rate()))
	}
	return "| " + strings.Join(cells, " | ") + " |"
}

// table writes what each entrant did: the median over the rounds, and the spread.
func (r race) table(rounds []round) string {
	var text strings.Builder
	text.WriteString("| | documents/s | of the first one in the same round | own processor time a document, µs " +
		"| the broker's, µs | cores busy | duplicates |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	documents := float64(r.job.documents)
	for k, e := range r.entrants {
		over := func(of func(result) float64) spread {
			return spreadOf(rounds, func(one round) float64 { return of(one[k]) })
		}
		ratio := spreadOf(rounds, func(one round) float64 { return one[k].rate() / one[0].rate() })
		fmt.Fprintf(&text, "| %s | %s | %s | %.1f | %.1f | %.2f | %.1f %% |\n", e.name,
			over(result.rate).text(thousands), ratio.text(hundredths),
			1e6*over(func(o result) float64 { return o.cpu.own.Seconds() }).median/documents,
			1e6*over(func(o result) float64 { return o.cpu.broker.Seconds() }).median/documents,
			over(func(o result) float64 { return (o.cpu.own + o.cpu.broker).Seconds() / o.took.Seconds() }).median,
			100*over(func(o result) float64 { return float64(o.duplicates) }).median/documents)
	}
	return text.String()
}

// Where `make bench-rivals` runs, which is the root of the repository.
const (
	rivalsCache   = ".cache"
	rivalsSources = "deploy/dev/bench/rivals"
)

// setups are the two settings of Kafka Streams. The tuned one has a heap of its own size, and the collector of garbage
// that takes the least processor time; the other one has Java's defaults.
func setups() []rivals.Setup {
	untuned := rivals.Setup{
		Cache: rivalsCache, Sources: rivalsSources, Setting: "DEFAULT", Servers: os.Getenv(kafkaVariable),
		Compression: compression,
	}
	tuned := untuned
	tuned.Setting, tuned.Java = "TUNED", []string{"-Xms2g", "-Xmx2g", "-XX:+UseParallelGC"}
	return []rivals.Setup{untuned, tuned}
}

// race measures the copy, unecho and the applications of others in turn, and writes the table.
func (p params) race(ctx context.Context, j job, copies bareCopy, out io.Writer) (err error) {
	fmt.Fprint(out, "counting the documents that differ: ")
	different := distinct(newCorpus(p.seed, p.bytes), j.documents)
	fmt.Fprintf(out, "%s\n\n", thousands(float64(different)))
	entrants := []entrant{{name: "the copy", topics: "copy", who: copies}}
	for _, verify := range p.verifies {
		entrants = append(entrants, entrant{name: "unecho, " + verify, topics: verify, who: p.filter(verify)})
	}
	for _, setup := range setups() {
		app, openErr := rivals.Open(ctx, setup)
		if openErr != nil {
			return openErr
		}
		defer func() { err = errors.Join(err, app.Close()) }()
		setting := strings.ToLower(setup.Setting)
		entrants = append(entrants, entrant{
			name: "Kafka Streams, " + setting, topics: setting, who: streams{app: app, distinct: different},
		})
	}
	return p.turns(ctx, j, entrants, out)
}

// inFiles measures unecho with all documents in memory and with the old ones in files, and writes the tables.
func (p params) inFiles(ctx context.Context, j job, out io.Writer) error {
	for _, verify := range p.verifies {
		var entrants []entrant
		for _, old := range []string{"memory", "files"} {
			f := p.filter(verify)
			f.old = old
			entrants = append(entrants, entrant{name: verify + " in " + old, topics: verify + "-" + old, who: f})
		}
		if err := p.turns(ctx, j, entrants, out); err != nil {
			return err
		}
	}
	return nil
}

// turns measures contenders in turn, and writes the table.
func (p params) turns(ctx context.Context, j job, entrants []entrant, out io.Writer) error {
	r := race{job: j, entrants: entrants, rounds: p.pairs, out: out}
	r.head, r.row = rates(entrants)
	rounds, err := r.run(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "\nMedian and spread of %d rounds; %s; %s; %s documents of %d bytes, %d partitions, %d sessions, "+
		"outputs compressed with %s.\n\n%s", p.pairs, machine(), j.cluster.name, thousands(float64(j.documents)), p.bytes,
		p.partitions, p.sessions, compression, r.table(rounds))
	return nil
}
