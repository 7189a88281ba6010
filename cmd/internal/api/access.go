package api

import (
	"crypto/subtle"
	"math"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/unecho/unecho/consumer/certificate"
)

// Access says who may ask.
type Access struct {
	Token    func() string // the one of now; nil: there is none
	Loopback bool          // the server listens on a loopback address only
}

// guard lets requests through that carry the token. Where there is no token, it lets those through that call a loopback
// address by its name: a page of the web that has its own name resolved to this machine is not one of them.
func (a Access) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case a.Token != nil:
			if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); !ok ||
				subtle.ConstantTimeCompare([]byte(given), []byte(a.Token())) != 1 {
				w.Header().Set("WWW-Authenticate", `Bearer realm="unecho"`)
				fail(w, http.StatusUnauthorized, "the request carries no valid token",
					"send the header Authorization: Bearer TOKEN, with the value of http.token")
				return
			}
		case !a.Loopback:
			fail(w, http.StatusForbidden,
				"the API is closed, because http.listen is not a loopback address and there is no token",
				"set http.token, or http.token_file")
			return
		case r.Header.Get("Forwarded") != "" || r.Header.Get("X-Forwarded-For") != "":
			fail(w, http.StatusForbidden, "the request was passed on by a proxy, and there is no token",
				"set http.token, or http.token_file")
			return
		case !loopbackName(r.Host):
			fail(w, http.StatusForbidden, "the request calls this address by another name",
				"use http://localhost, or set http.token")
			return
		}
		next.ServeHTTP(w, r)
	})
}

func loopbackName(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return certificate.Loopback(strings.ToLower(strings.Trim(host, "[]")))
}

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
