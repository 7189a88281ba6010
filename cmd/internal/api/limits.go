package api

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"golang.org/x/time/rate"
)

// Limits bound what is answered in a second. A second's worth may come at once.
type Limits struct {
	RequestsPerS int // at least DocumentsPerS are answered: documents may come one by one
	// DocumentsPerS is how many documents are taken; at least one full request of them may come at once.
	DocumentsPerS int
	LookupsPerS   int // texts; at least one full request of them may come at once
}

func (l Limits) requests() *rate.Limiter {
	n := max(l.RequestsPerS, l.DocumentsPerS)
	return rate.NewLimiter(rate.Limit(n), n)
}

func (l Limits) lookups() *rate.Limiter {
	return rate.NewLimiter(rate.Limit(l.LookupsPerS), max(l.LookupsPerS, maxTexts))
}

// limited lets so many requests through. Those without a valid token don't count: they can't keep others away.
func limited(requests *rate.Limiter, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if allows(w, requests, 1, "requests", "") {
			next.ServeHTTP(w, r)
		}
	})
}

// allows takes n of what a limiter has. If it has too few, it answers by itself, and takes none. Key names the setting
// that raises the limit, if there is one.
func allows(w http.ResponseWriter, l *rate.Limiter, n int, what, key string) bool {
	now := time.Now()
	taken := l.ReserveN(now, n)
	delay := taken.DelayFrom(now)
	if delay == 0 {
		return true
	}
	taken.CancelAt(now)
	w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(delay.Seconds()))))
	remedy := "ask more slowly, or ask another member"
	if key != "" {
		remedy = "ask more slowly, ask another member, or raise " + key
	}
	fail(w, http.StatusTooManyRequests, "more than "+strconv.Itoa(int(l.Limit()))+" "+what+" came in a second", remedy)
	return false
}
