//go:build unix

package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/unecho/unecho/consumer/retry"
)

// sampleEvery is how often members are asked for their figures.
const sampleEvery = 5 * time.Second

// sample is a member's figures at one moment.
type sample struct {
	resident, heap, goroutines, lag float64
}

// series returns the metrics that a sample is made of, and the fields that hold them.
func series(s *sample) map[string]*float64 {
	return map[string]*float64{
		"process_resident_memory_bytes": &s.resident, "go_memstats_heap_inuse_bytes": &s.heap,
		"go_goroutines": &s.goroutines, "unecho_source_lag_documents": &s.lag,
	}
}

// soak has members work under load without faults, and fails if their memory or goroutines grow.
func soak(ctx context.Context, w *world, p params, out io.Writer) error {
	p.skew = 0
	s, err := newScene(ctx, w, p, postgres, true)
	if err != nil {
		return err
	}
	all := make([][]sample, len(s.members))
	began := time.Now()
	if err := s.run(ctx, func(ctx context.Context) error { return s.samples(ctx, all, out) }); err != nil {
		return err
	}
	r := s.result(time.Since(began))
	began = time.Now()
	if err := s.judge(ctx, r); err != nil {
		return err
	}
	r.print(out)
	audited := time.Since(began).Round(time.Second)
	for i, of := range all {
		growth, verdict := judge(of)
		fmt.Fprintf(out, "  member %d %s\n", i, growth)
		err = errors.Join(err, verdict)
	}
	fmt.Fprintf(out, "soak of %v: %s\n", p.soak, summary(r, audited, slices.Concat(all...)))
	if !r.ok() || len(r.endings) > 0 {
		err = errors.Join(err, errFindings)
	}
	return errors.Join(err, s.close(ctx))
}

// summary describes the soak in one line.
func summary(r *result, audited time.Duration, of []sample) string {
	var most sample
	for i := range of {
		to := series(&most)
		for name, value := range series(&of[i]) {
			*to[name] = max(*to[name], *value)
		}
	}
	return fmt.Sprintf("%d documents, audited in %v: %d lost, %d doubled, %d different; at most %s",
		r.documents, audited, r.audit.Lost, r.audit.Doubled, r.audit.Different, most)
}

// samples asks each member again and again until the soak's time is over, and shows the figures once a minute.
func (s *scene) samples(ctx context.Context, all [][]sample, out io.Writer) error {
	if err := s.well(ctx); err != nil {
		return err
	}
	began := time.Now()
	for n := 0; time.Since(began) < s.params.soak; n++ {
		for i, address := range s.ops {
			one, err := ask(ctx, address)
			if err != nil {
				return err
			}
			all[i] = append(all[i], one)
			if n%int(time.Minute/sampleEvery) == 0 {
				fmt.Fprintf(out, "%6s  member %d  %s\n", time.Since(began).Round(time.Second), i, one)
			}
		}
		if err := retry.Pause(ctx, sampleEvery); err != nil {
			return err
		}
	}
	return nil
}

// String is the sample in one line.
func (s sample) String() string {
	return fmt.Sprintf("resident %4.0f MiB, heap %4.0f MiB, %3.0f goroutines, lag %.0f", s.resident/(1<<20),
		s.heap/(1<<20), s.goroutines, s.lag)
}

// ask reads a member's metrics as a collector does.
func ask(ctx context.Context, address string) (sample, error) {
	var s sample
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/metrics", nil)
	if err != nil {
		return s, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return s, fmt.Errorf("ask a member: %w", err)
	}
	defer resp.Body.Close()
	into := series(&s)
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if to := into[name]; to != nil {
			if *to, err = strconv.ParseFloat(value, 64); err != nil {
				return s, fmt.Errorf("read %s: %w", name, err)
			}
		}
	}
	return s, nil
}

// These bounds say what counts as flat. The median of the last quarter is compared with that of the second. The first
// quarter is for filling the window.
const (
	mayGrow       = 1.10     // of bytes
	mayGrowBytes  = 16 << 20 // and additional bytes, because pages come and go
	mayGrowNumber = 5        // additional goroutines, because connections come and go
)

// mayTake is the memory that configuration.md grants a process in addition to its window, which is small here.
const mayTake = 512 << 20

// judge compares the second and the last quarter, and fails if they show growth.
func judge(of []sample) (growth string, err error) {
	if len(of) < 8 {
		return "", errors.New("too few samples to tell: soak longer")
	}
	most := slices.MaxFunc(of, func(a, b sample) int { return cmp.Compare(a.resident, b.resident) }).resident
	if most > mayTake {
		err = fmt.Errorf("resident memory was %.0f MiB at most, and may be %d", most/(1<<20), mayTake>>20)
	}
	quarter := len(of) / 4
	early, late := of[quarter:2*quarter], of[len(of)-quarter:]
	parts := []string{fmt.Sprintf("resident at most %.0f MiB", most/(1<<20))}
	for _, what := range []struct {
		name    string
		of      func(sample) float64
		factor  float64
		more    float64
		showsAs float64
	}{
		{"resident MiB", func(s sample) float64 { return s.resident }, mayGrow, mayGrowBytes, 1 << 20},
		{"heap MiB", func(s sample) float64 { return s.heap }, mayGrow, mayGrowBytes, 1 << 20},
		{"goroutines", func(s sample) float64 { return s.goroutines }, 1, mayGrowNumber, 1},
	} {
		from, to := median(early, what.of), median(late, what.of)
		parts = append(parts, fmt.Sprintf("%s %.0f, later %.0f", what.name, from/what.showsAs, to/what.showsAs))
		if to > from*what.factor+what.more {
			err = errors.Join(err, fmt.Errorf("%s grew from %.0f to %.0f", what.name, from/what.showsAs, to/what.showsAs))
		}
	}
	return strings.Join(parts, "; "), err
}

func median(of []sample, value func(sample) float64) float64 {
	all := make([]float64, len(of))
	for i, s := range of {
		all[i] = value(s)
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// well waits until the group is whole and at work, for wellFor without interruption. Every session is a member, all
// replicas are in sync, and no more documents wait than are written in wellBehind seconds. A moment is not enough: a
// group is also stable between two rebalances, and before its sessions have begun to read.
func (s *scene) well(ctx context.Context) error {
	want := len(s.members) * s.config.Consumer.Sessions
	var since time.Time
	return until(ctx, "the group is whole", commitTimeout, func(ctx context.Context) bool {
		groups, err := s.world.admin.DescribeGroups(ctx, s.name)
		g := groups[s.name]
		switch {
		case err != nil || g.State != "Stable" || len(g.Members) != want || !s.world.healthy(ctx) ||
			s.watch.waiting() > wellBehind*int64(s.params.rate):
			since = time.Time{}
		case since.IsZero():
			since = time.Now()
		}
		return !since.IsZero() && time.Since(since) >= wellFor
	})
}

const (
	wellFor    = 3 * time.Second
	wellBehind = 2
)
