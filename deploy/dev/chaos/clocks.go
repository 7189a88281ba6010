//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/unecho/unecho/deploy/dev/testbed"
)

// These variables hold by how many seconds a process's clock is off, and how many thousandths it gains, if its binary was
// built for that. Their names must not have the prefix of settings, because the program would refuse them as unknown
// settings.
const (
	skewVariable  = "CHAOS_CLOCK_SKEW"
	driftVariable = "CHAOS_CLOCK_DRIFT"
)

// mostDrift is the most that clocks gain or lose, in thousandths: far more than real ones, because a run is short.
const mostDrift = 200

// skewed replaces time.Now by one that is off. What it gains or loses is set right every minute, by a step. Timers,
// deadlines and durations use the monotonic clock and stay as they are.
const skewed = `package time

import "syscall"

const everyMinute = 60_000_000_000

var (
	skew  = number("` + skewVariable + `")
	drift = number("` + driftVariable + `")
	begun = runtimeNano()
)

func number(variable string) int64 {
	text, _ := syscall.Getenv(variable)
	n, _ := atoi(text)
	return int64(n)
}

func off(sec int64, nsec int32, mono int64) (int64, int32) {
	at := int64(nsec) + (mono-begun)%everyMinute*drift/1000
	sec += skew + at/1_000_000_000
	if at %= 1_000_000_000; at < 0 {
		at, sec = at+1_000_000_000, sec-1
	}
	return sec, int32(at)
}
`

// skewClock writes a copy of the standard library's package time whose clock can be set off.
func skewClock(ctx context.Context, dir string) (map[string]string, error) {
	out, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("find the standard library: %w", err)
	}
	library := filepath.Join(strings.TrimSpace(string(out)), "src", "time")
	text, err := os.ReadFile(filepath.Join(library, "time.go"))
	if err != nil {
		return nil, err
	}
	const now = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	if strings.Count(string(text), now) != 1 {
		return nil, errors.New("this Go's time.Now begins otherwise: adapt the replacement, or go without by -skew=0")
	}
	patched := strings.Replace(string(text), now, now+"\tsec, nsec = off(sec, nsec, mono)\n", 1)
	replace := map[string]string{}
	for name, text := range map[string]string{"time.go": patched, "skew.go": skewed} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return nil, err
		}
		replace[filepath.Join(library, name)] = path
	}
	return replace, nil
}

// memberClock returns the variables that set the clock of a member's life off.
func memberClock(p params, member, life int) []string {
	r := rand.New(rand.NewPCG(p.seed, uint64(100+1000*member+life)))
	return []string{
		fmt.Sprintf("%s=%d", skewVariable, int64(between(r, -p.skew, p.skew).Seconds())),
		fmt.Sprintf("%s=%d", driftVariable, r.IntN(2*mostDrift)-mostDrift),
	}
}

// clocks sets those of brokers and PostgreSQL off.
type clocks struct {
	most    time.Duration // 0: they stay as they are
	seed    uint64
	library string
	out     io.Writer

	mu    sync.Mutex
	lives map[*testbed.Server]life
}

// life is the clock of a server's present life.
type life struct {
	number uint64
	off    time.Duration
	drift  int64 // thousandths
	began  time.Time
}

func newClocks(ctx context.Context, p params, out io.Writer) (*clocks, error) {
	c := &clocks{most: p.serverSkew, seed: p.seed, out: out, lives: map[*testbed.Server]life{}}
	if c.most == 0 {
		return c, nil
	}
	var err error
	if c.library, err = testbed.FakeTime(ctx); err != nil {
		return nil, fmt.Errorf("set the servers' clocks off (-server-skew=0 goes without): %w", err)
	}
	return c, nil
}

// begin starts a server, each life with another clock.
func (c *clocks) begin(ctx context.Context, s *testbed.Server) error {
	if c.most == 0 {
		return s.Start(ctx)
	}
	name := fnv.New64a()
	_, _ = io.WriteString(name, s.Name) // it never fails
	c.mu.Lock()
	defer c.mu.Unlock()
	number := c.lives[s].number + 1
	r := rand.New(rand.NewPCG(c.seed, name.Sum64()+number))
	l := life{number, between(r, -c.most, c.most).Truncate(time.Second), r.Int64N(2*mostDrift) - mostDrift, time.Now()}
	c.lives[s] = l
	fmt.Fprintf(c.out, "the clock of %s is off by %v, and gains %d thousandths\n", s.Name, l.off, l.drift)
	if err := s.SetClock(c.library, l.off); err != nil {
		return err
	}
	return s.Start(ctx)
}

// run has the clocks drift until ctx is done. What they gain or lose is set right every minute, by a step.
func (c *clocks) run(ctx context.Context) {
	for ctx.Err() == nil {
		c.mu.Lock()
		for s, l := range c.lives {
			gained := time.Since(l.began) % time.Minute * time.Duration(l.drift) / 1000
			if err := s.SetClock(c.library, l.off+gained); err != nil {
				fmt.Fprintln(c.out, "a clock does not drift:", err)
			}
		}
		c.mu.Unlock()
		wait(ctx, driftEvery)
	}
}

// driftEvery is how often the servers' clocks are set further off.
const driftEvery = 2 * time.Second
