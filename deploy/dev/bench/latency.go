package main

import (
	"context"
	"fmt"
	"io"
	"time"
)

const latencyHead = `| pair | first | copy, median / p99 ms | unecho, median / p99 ms | of medians | of p99 |
| --- | --- | ---: | ---: | ---: | ---: |`

func latencyRow(name, first string, p round) string {
	return fmt.Sprintf("| %s | %s | %s / %s | %s / %s | %.2f | %.2f |", name, first,
		millis(p[theCopy].latency.median), millis(p[theCopy].latency.p99),
		millis(p[unecho].latency.median), millis(p[unecho].latency.p99), medians(p), p99s(p))
}

func medians(p round) float64 {
	return p[unecho].latency.median.Seconds() / p[theCopy].latency.median.Seconds()
}

func p99s(p round) float64 {
	return p[unecho].latency.p99.Seconds() / p[theCopy].latency.p99.Seconds()
}

const latencySummaryHead = `| verify | documents/s | copy, median ms | copy, p99 ms | unecho, median ms | ` +
	`unecho, p99 ms | ratio of medians | ratio of p99 |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |`

// latencySummary is the row of one rate: medians over the pairs, and the spread of the pairs' ratios.
func latencySummary(verify string, rate int, pairs []round) string {
	median := func(of func(round) time.Duration) string {
		return millis(time.Duration(spreadOf(pairs, func(p round) float64 { return float64(of(p)) }).median))
	}
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %s | %s | %s |", verify, thousands(float64(rate)),
		median(func(p round) time.Duration { return p[theCopy].latency.median }),
		median(func(p round) time.Duration { return p[theCopy].latency.p99 }),
		median(func(p round) time.Duration { return p[unecho].latency.median }),
		median(func(p round) time.Duration { return p[unecho].latency.p99 }),
		spreadOf(pairs, medians).text(hundredths), spreadOf(pairs, p99s).text(hundredths))
}

// millis writes a time in ms, with a decimal place below ten.
func millis(d time.Duration) string {
	if ms := d.Seconds() * 1e3; ms < 10 {
		return fmt.Sprintf("%.1f", ms)
	}
	return fmt.Sprintf("%.0f", d.Seconds()*1e3)
}

// latencies measures at each rate, and returns the rows of the table.
func latencies(ctx context.Context, p params, c *cluster, out io.Writer) (rows []string, err error) {
	for _, verify := range p.verifies {
		for _, rate := range p.rates {
			fmt.Fprintf(out, "\n%s, verify: %s, %s documents/s for %d s, load average %s\n\n", c.name, verify,
				thousands(float64(rate)), p.seconds, load())
			s := p.series(job{
				cluster: c, source: fmt.Sprintf("%s-%d", runID(), rate), partitions: p.partitions, sessions: p.sessions,
				stream: newStream(p, rate),
			}, asUnecho(), verify, out)
			s.head, s.row = latencyHead, latencyRow
			pairs, err := s.run(ctx)
			if err != nil {
				return nil, err
			}
			details(out, pairs)
			rows = append(rows, latencySummary(verify, rate, pairs))
		}
	}
	return rows, nil
}
