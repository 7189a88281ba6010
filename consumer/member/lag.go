package member

import (
	"context"
	"errors"
	"time"

	"github.com/unecho/unecho/consumer/retry"
)

// ErrBehind says that sessions withdraw because their replica lags (design 5). Their partitions would stand still
// while they wait for it, and other members can serve them.
var ErrBehind = errors.New("the replica lags behind the journal")

// How often the lag of the replica is looked at: a tenth of its bound, within these.
const (
	behindEvery    = time.Second
	behindEveryMin = 20 * time.Millisecond
)

// WatchLag calls withdraw, once, when the replica has not applied within max_lag what the journal held. A journal that
// cannot be asked proves nothing, and leaving would help nobody then. With stays a time in which the replica does not
// come on does not count, unless it waits for its files: the journal cannot be read, and documents are passed on unchecked.
func (f *Follower) WatchLag(ctx context.Context, maxLag time.Duration, stays bool, withdraw func(error)) {
	every := min(behindEvery, max(behindEveryMin, maxLag/10))
	var b behind
	for retry.Pause(ctx, every) == nil {
		next := f.Next()
		if b.reached(next) {
			asking, cancel := context.WithTimeout(ctx, behindEvery)
			end, err := f.Log.End(asking)
			cancel()
			if err == nil {
				now := time.Now()
				b = behind{end: end, next: f.Next(), since: now, looked: now}
			}
			continue
		}
		if b.lags(next, time.Now(), stays && f.Counters.FilesHalt.Since().IsZero()) > maxLag {
			withdraw(ErrBehind)
			return
		}
	}
}

// behind is an end of the journal that the replica has to pass, and since when.
type behind struct {
	end    int64
	since  time.Time
	next   int64     // of the replica, when it was looked at
	looked time.Time // when that was
}

func (b *behind) reached(next int64) bool { return next >= b.end }

// lags is for how long the replica has not passed the end. With stays the time in which it stood still is left out.
func (b *behind) lags(next int64, now time.Time, stays bool) time.Duration {
	if stays && next == b.next {
		b.since = b.since.Add(now.Sub(b.looked))
	}
	b.next, b.looked = next, now
	return now.Sub(b.since)
}
