package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"time"
)

// run is the result of a run of dedup.
type run struct {
	Documents    int64   `json:"documents"`
	Duplicate    int64   `json:"duplicate"`
	Cut          int64   `json:"cut"`
	Seconds      float64 `json:"seconds"`
	PeakRSSBytes int64   `json:"peak_rss_bytes"`

	processor time.Duration // processor time of the whole process
}

func (r run) perSecond() float64 { return float64(r.Documents) / r.Seconds }

// perProcessorSecond returns documents per second of processor time. On a busy machine it shows the speed of an idle
// core.
func (r run) perProcessorSecond() float64 { return float64(r.Documents) / r.processor.Seconds() }

// dedupOf runs dedup on this many cores.
func dedupOf(ctx context.Context, p params, cores int, stdin *os.File, args ...string) (r run, err error) {
	cmd := exec.CommandContext(ctx, p.unecho, slices.Concat([]string{"dedup", "--json"}, p.flags, args)...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+strconv.Itoa(cores))
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, os.Stderr
	if stdin != nil {
		cmd.Stdin = stdin
	}
	if err := cmd.Run(); err != nil {
		return r, fmt.Errorf("run %s: %w", cmd, err)
	}
	r.processor = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return r, json.Unmarshal(out.Bytes(), &r)
}

// speed prints how fast each corpus is judged.
func speed(ctx context.Context, p params, all []texts) error {
	fmt.Printf("Documents a second end to end from the file, the best of %d runs.\n\n", p.rounds)
	fmt.Println("| corpus | documents | kB each | one core | of processor time | all cores | peak memory |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, t := range all {
		var one, many run
		for range p.rounds {
			for _, m := range []struct {
				cores int
				best  *run
			}{{1, &one}, {runtime.NumCPU(), &many}} {
				args := append([]string{"--unique", os.DevNull, t.path}, t.flags...)
				r, err := dedupOf(ctx, p, m.cores, nil, args...)
				if err != nil {
					return err
				}
				if m.best.Documents == 0 || r.perProcessorSecond() > m.best.perProcessorSecond() {
					m.best.processor = r.processor
				}
				if m.best.Documents == 0 || r.perSecond() > m.best.perSecond() {
					r.processor = m.best.processor
					*m.best = r
				}
			}
		}
		info, err := os.Stat(t.path)
		if err != nil {
			return err
		}
		fmt.Printf("| %s | %s | %.2f | %s | %s | %s | %d MB |\n", t.name, thousands(float64(one.Documents)),
			float64(info.Size())/1000/float64(one.Documents), thousands(one.perSecond()), thousands(one.perProcessorSecond()),
			thousands(many.perSecond()), one.PeakRSSBytes>>20)
	}
	fmt.Println()
	return nil
}

// thousands writes a number with commas.
func thousands(v float64) string {
	s := strconv.FormatInt(int64(v+0.5), 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
