//go:build unix

package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// These are the stores for snapshots.
const (
	postgres  = "postgres"
	directory = "directory"
	bucket    = "bucket"
)

// fault is a way in which something is broken.
type fault string

const (
	kill     fault = "kill"     // SIGKILL of a member, which is started again after a while
	pause    fault = "pause"    // SIGSTOP of a member, SIGCONT after a while
	leave    fault = "leave"    // SIGTERM of a member, which is started again after a while
	rolling  fault = "rolling"  // SIGTERM and start of each member in turn
	broker   fault = "broker"   // SIGKILL of a broker, which is started again after a while
	leaders  fault = "leaders"  // the journal and the coordinators' topics get other leaders
	database fault = "database" // PostgreSQL is stopped, and started again after a while
	full     fault = "full"     // the disk of the snapshot directory, or of the bucket, is full for a while
	away     fault = "away"     // the bucket's server is out of reach for a while
	drag     fault = "drag"     // the bucket's server is slow for a while
	refuse   fault = "refuse"   // the bucket's server refuses the members' credentials for a while
	slow     fault = "slow"     // all brokers behind a slow network for a while
	stall    fault = "stall"    // one broker behind a network that loses everything for a while
	cut      fault = "cut"      // every connection to one broker breaks
	widen    fault = "widen"    // the source gets more partitions, and documents in them
	strange  fault = "strange"  // documents with strange timestamps
	guest    fault = "guest"    // an ordinary consumer tries for a while to join the group
	old      fault = "old"      // of a member's segments with old documents one is damaged, one is removed, of its blocks too, and the disk is full for a while
	remake   fault = "remake"   // an output of a quiet source is deleted, and has to be made again
)

// event is one fault at one time.
type event struct {
	at     time.Duration // since the run began
	fault  fault
	member int // for kill, pause, leave and old
	broker int // for broker, leaders, stall and cut
	lasts  time.Duration
}

// String is the event in one line.
func (e event) String() string {
	s := fmt.Sprintf("%9s  %-8s", e.at.Round(time.Millisecond), e.fault)
	switch e.fault {
	case kill, pause, leave, old:
		s += fmt.Sprintf(" member %d", e.member)
	case broker, stall, cut, leaders:
		s += fmt.Sprintf(" broker %d", e.broker+1)
	case rolling, database, full, away, drag, refuse, slow, widen, strange, guest, remake:
	}
	if e.lasts > 0 {
		s += " for " + e.lasts.Round(time.Millisecond).String()
	}
	return s
}

// weights say how often each fault but kill is drawn.
func weights(store string) map[fault]int {
	w := map[fault]int{pause: 6, leave: 3, rolling: 1, broker: 3, leaders: 3, slow: 2, stall: 2, cut: 3, widen: 2, strange: 3, guest: 2, remake: 2, old: 4}
	switch store {
	case directory:
		w[full] = 2
	case bucket:
		w[full], w[away], w[drag], w[refuse] = 2, 2, 2, 2
	default:
		w[database] = 2
	}
	return w
}

// schedule draws which faults happen when. The same parameters give the same schedule.
func schedule(p params, store string) []event {
	var all []event
	r := rand.New(rand.NewPCG(p.seed, 1))
	for at := gap(r, p.killEvery); p.killEvery > 0 && at < p.length; at += gap(r, p.killEvery) {
		e := event{at: at, fault: kill, member: r.IntN(p.members)}
		if r.IntN(8) == 0 { // long enough that others take over
			e.lasts = between(r, 2*time.Second, 12*time.Second)
		}
		all = append(all, e)
	}
	r = rand.New(rand.NewPCG(p.seed, 2))
	free := map[fault]time.Duration{} // from when on it may be drawn again
	for at := gap(r, p.faultEvery); p.faultEvery > 0 && at < p.length; at += gap(r, p.faultEvery) {
		e := draw(r, p, weights(store))
		e.at = at
		if key := exclusive(e.fault); key != "" {
			if at < free[key] {
				continue
			}
			free[key] = at + e.lasts + recovery
		}
		all = append(all, e)
	}
	slices.SortStableFunc(all, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	return all
}

// recovery is how long a broker that came back has to catch up. A topic of three replicas with two in sync cannot be
// written while two brokers are away.
const recovery = 20 * time.Second

// exclusive returns the group of faults that must not overlap with this one.
func exclusive(f fault) fault {
	switch f {
	case broker, stall:
		return broker
	case database, full, away, drag, refuse, slow, rolling, widen, guest, remake, old:
		return f
	case kill, pause, leave, leaders, cut, strange:
	}
	return ""
}

// draw draws a fault, its victim, and its duration.
func draw(r *rand.Rand, p params, weight map[fault]int) event {
	var kinds []fault
	for _, f := range []fault{pause, leave, rolling, broker, leaders, database, full, slow, stall, cut, widen, strange, guest, remake, away, drag, refuse, old} {
		for range weight[f] {
			kinds = append(kinds, f)
		}
	}
	e := event{fault: kinds[r.IntN(len(kinds))], member: r.IntN(p.members), broker: r.IntN(brokers)}
	short, long := durations(e.fault, r.IntN(4) == 0)
	e.lasts = min(between(r, short, long), p.length)
	return e
}

// durations returns the shortest and the longest duration of a fault. Members have a session time-out of 6 s and a
// transaction time-out of 10 s. Rare durations exceed both.
func durations(f fault, rare bool) (short, long time.Duration) {
	switch f {
	case pause:
		if rare {
			return 7 * time.Second, 25 * time.Second
		}
		return 50 * time.Millisecond, 3 * time.Second
	case leave:
		return 0, 10 * time.Second
	case broker:
		return time.Second, 20 * time.Second
	case database, away, refuse:
		if rare {
			return time.Minute, time.Minute
		}
		return time.Second, 10 * time.Second
	case full, slow, drag, old:
		return 2 * time.Second, 15 * time.Second
	case guest:
		return 5 * time.Second, 15 * time.Second
	case stall:
		return time.Second, 12 * time.Second
	case kill, rolling, leaders, cut, widen, strange, remake:
	}
	return 0, 0
}

// gap draws the time until the next of events that come at random.
func gap(r *rand.Rand, mean time.Duration) time.Duration {
	return time.Duration(r.ExpFloat64() * float64(mean))
}

func between(r *rand.Rand, low, high time.Duration) time.Duration {
	if low >= high {
		return low
	}
	return low + time.Duration(r.Int64N(int64(high-low)))
}
