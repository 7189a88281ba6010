//go:build unix

package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/unecho/unecho/consumer/audit"
)

// result is the result of a run.
type result struct {
	seed      uint64
	store     string
	took      time.Duration
	documents int
	done      map[fault]int
	lives     int
	endings   map[string]int // of lives that ended unasked
	waits     map[string][]time.Duration
	alarms    []string
	audit     audit.Report
	count     *count
}

// ok says whether nothing was found.
func (r *result) ok() bool {
	return r.audit.OK() && r.count.ok() && r.audit.Records == r.documents && r.count.documents == r.documents && len(r.alarms) == 0
}

// print writes the report for people.
func (r *result) print(out io.Writer) {
	fmt.Fprintf(out, "\nseed %d, snapshots in %s: %d documents in %v, %d lives\n", r.seed, r.store, r.documents,
		r.took.Round(time.Second), r.lives)
	var parts []string
	for _, f := range slices.Sorted(maps.Keys(r.done)) {
		parts = append(parts, fmt.Sprintf("%d %s", r.done[f], f))
	}
	fmt.Fprintf(out, "  faults   %s\n", strings.Join(parts, ", "))
	for _, f := range slices.Sorted(maps.Keys(r.waits)) {
		fmt.Fprintf(out, "  wait     %s\n", waits(f, r.waits[f]))
	}
	r.endingsTo(out)
	for _, line := range r.alarms {
		fmt.Fprintf(out, "  ALARM    %s\n", line)
	}
	fmt.Fprintf(out, "  audit    %s\n", &r.audit)
	fmt.Fprintf(out, "  count    %s\n", r.count)
	if r.audit.Records != r.documents || r.count.documents != r.documents {
		fmt.Fprintf(out, "  ALARM    %d documents were written, the audit knows %d, and the count %d\n", r.documents, r.audit.Records,
			r.count.documents)
	}
}

// endingsTo writes how lives ended that ended unasked.
func (r *result) endingsTo(out io.Writer) {
	for _, why := range slices.Sorted(maps.Keys(r.endings)) {
		fmt.Fprintf(out, "  ended    %d times: %s\n", r.endings[why], why)
	}
}

// waits writes in one line how long documents waited after a kind of loss. The durations of are sorted.
func waits(what string, of []time.Duration) string {
	short := func(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }
	return fmt.Sprintf("after %-8s until what was there is committed: median %v, most %v, of %d",
		what, short(of[len(of)/2]), short(of[len(of)-1]), len(of))
}

// sum adds up several runs.
type sum struct {
	runs, documents, kills, brokers, lives, bad int
	lost, doubled, different                    int
}

func (s *sum) add(r *result) {
	s.runs++
	s.documents += r.documents
	s.kills += r.done[kill]
	s.brokers += r.done[broker]
	s.lives += r.lives
	s.lost, s.doubled, s.different = s.lost+r.audit.Lost, s.doubled+r.audit.Doubled, s.different+r.audit.Different
	if !r.ok() {
		s.bad++
	}
}

// String is the sum in one line.
func (s *sum) String() string {
	return fmt.Sprintf("%d runs, %d documents, %d kills of members, %d of brokers, %d lives: %d lost, %d doubled, %d "+
		"different; %d runs with findings",
		s.runs, s.documents, s.kills, s.brokers, s.lives, s.lost, s.doubled, s.different, s.bad)
}

// alarms returns the lines of the members' logs that no fault excuses.
func alarms(dir string) (found []string, err error) {
	logs, err := filepath.Glob(filepath.Join(dir, "member-*.log"))
	if err != nil {
		return nil, err
	}
	for _, path := range logs {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			if alarming(lines.Text()) {
				found = append(found, fmt.Sprintf("%s:%d: %s", filepath.Base(path), n, lines.Text()))
			}
		}
		if err := lines.Err(); err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		_ = f.Close() // only read
	}
	return found[:min(len(found), mostAlarms)], nil
}

const mostAlarms = 10

func alarming(line string) bool {
	for _, word := range []string{"panic: ", "fatal error: ", "DATA RACE", "replicas differ"} {
		if strings.Contains(line, word) {
			return true
		}
	}
	return false
}
