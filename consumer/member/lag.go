package member

import (
	"context"
	"errors"
	"time"
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
// cannot be asked proves nothing, and leaving would help nobody then. With stays the time begins when the replica comes
// on: until then the journal cannot be read, and documents are passed on unchecked.
func (f *Follower) WatchLag(ctx context.Context, maxLag time.Duration, stays bool, withdraw func(error)) {
	every := min(behindEvery, max(behindEveryMin, maxLag/10))
	tick := time.NewTicker(every)
	defer tick.Stop()
	var b behind
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if b.passed(f.Next()) {
			asking, cancel := context.WithTimeout(ctx, behindEvery)
			end, err := f.Log.End(asking)
			cancel()
			if err == nil {
				b = behind{end: end, next: f.Next(), since: time.Now()}
			}
			continue
		}
		if stays && f.Next() == b.next {
			b.since = time.Now()
		}
		if time.Since(b.since) > maxLag {
			withdraw(ErrBehind)
			return
		}
	}
}

// behind is an end of the journal that the replica has to pass, and since when.
type behind struct {
	end   int64
	next  int64 // of the replica then
	since time.Time
}

func (b behind) passed(next int64) bool { return next >= b.end }
