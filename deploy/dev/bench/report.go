package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"
)

const tableHead = `| pair | first | copy, documents/s | unecho, documents/s | ratio |
| --- | --- | ---: | ---: | ---: |`

func tableRow(name, first string, p round) string {
	return fmt.Sprintf("| %s | %s | %s | %s | %.2f |", name, first, thousands(p[theCopy].rate()),
		thousands(p[unecho].rate()), p.ratio())
}

// spread is the median, the least and the greatest of some figures.
type spread struct{ median, low, high float64 }

func spreadOf[T any](runs []T, of func(T) float64) spread {
	values := make([]float64, 0, len(runs))
	for _, p := range runs {
		values = append(values, of(p))
	}
	slices.Sort(values)
	n := len(values)
	return spread{median: (values[(n-1)/2] + values[n/2]) / 2, low: values[0], high: values[n-1]}
}

func (s spread) text(format func(float64) string) string {
	return fmt.Sprintf("%s (%s to %s)", format(s.median), format(s.low), format(s.high))
}

const summaryHead = `| broker | verify | copy, documents/s | unecho, documents/s | ratio |
| --- | --- | ---: | ---: | ---: |`

// summary is the row of a series in the table.
func summary(broker, verify string, pairs []round) string {
	return fmt.Sprintf("| %s | %s | %s | %s | %s |", broker, verify,
		spreadOf(pairs, func(p round) float64 { return p[theCopy].rate() }).text(thousands),
		spreadOf(pairs, func(p round) float64 { return p[unecho].rate() }).text(thousands),
		spreadOf(pairs, round.ratio).text(hundredths))
}

// details writes what a series cost apart from time: medians over its runs.
func details(w io.Writer, pairs []round) {
	median := func(of func(round) float64) float64 { return spreadOf(pairs, of).median }
	documents := float64(pairs[0][unecho].documents)
	fmt.Fprintf(w, "\nduplicates %.1f%%, candidates per document %.2f, rebuilt sessions %.0f, rejected %.0f\n",
		100*median(func(p round) float64 { return float64(p[unecho].duplicates) })/documents,
		median(func(p round) float64 { return float64(p[unecho].candidates) })/documents,
		median(func(p round) float64 { return float64(p[unecho].rebuilds) }),
		median(func(p round) float64 { return float64(p[unecho].rejected) }))
	fmt.Fprintf(w, "journal %.0f bytes per entry\n",
		median(func(p round) float64 { return float64(p[unecho].journalBytes) })/documents)
	cost(w, "copy", pairs, func(p round) result { return p[theCopy] })
	cost(w, "unecho", pairs, func(p round) result { return p[unecho] })
	fmt.Fprintf(w, "unecho's sessions: sign %.2f s, judge %.2f s, forward %.2f s\n\n",
		median(func(p round) float64 { return p[unecho].sign }), median(func(p round) float64 { return p[unecho].judge }),
		median(func(p round) float64 { return p[unecho].forward }))
}

// cost writes what a document cost one of the contenders. If all cores were busy, only less work makes it faster.
func cost(w io.Writer, name string, pairs []round, of func(round) result) {
	median := func(f func(result) float64) float64 {
		return spreadOf(pairs, func(p round) float64 { return f(of(p)) }).median
	}
	documents, commits := float64(of(pairs[0]).documents), median(func(r result) float64 { return float64(r.commits) })
	fmt.Fprintf(w, "%s: %.1f s, CPU of this process %.1f µs a document, of the broker %.1f, together %.2f cores busy, "+
		"%.0f commits of %.0f documents\n",
		name, median(func(r result) float64 { return r.took.Seconds() }),
		1e6*median(func(r result) float64 { return r.cpu.own.Seconds() })/documents,
		1e6*median(func(r result) float64 { return r.cpu.broker.Seconds() })/documents,
		median(func(r result) float64 { return (r.cpu.own + r.cpu.broker).Seconds() / r.took.Seconds() }), commits,
		documents/commits)
}

func thousands(x float64) string {
	digits := strconv.FormatInt(int64(x+0.5), 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

func hundredths(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }

// runID distinguishes the topics of one invocation from those of others.
func runID() string { return "bench-" + strconv.FormatInt(time.Now().UnixMilli(), 36) }
