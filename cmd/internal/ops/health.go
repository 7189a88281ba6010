package ops

import (
	"fmt"
	"io"
	"net/http"
	"net/http/pprof"
	"strings"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/unecho/unecho/consumer"
)

// maxScrapes bounds how many scrapes are answered at a time, so that they do not accumulate if the process hangs.
const maxScrapes = 4

const endpoints = `unecho: a near-duplicate filter for Kafka

/         in a browser: how this member stands, what it finds, what it remembers
/live     200 as long as the process answers
/ready    200 when it would forward a document that came now, else 503 and a sentence why
/metrics  Prometheus
/api/v1   status, config, recent, events, lookup: see /api/v1/openapi.json

For callers on the same machine:

/log/level     the level of the log; PUT debug, info, warn or error changes it until the process ends
/debug/pprof/  profiles, with run --pprof
`

// newHandler answers GET and HEAD on the known paths, PUT where something can be changed, and nothing else.
func newHandler(s Setup) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Accept")
		if s.Page != nil && forPeople(r) {
			s.Page.ServeHTTP(w, r)
			return
		}
		answer(w, http.StatusOK, endpoints)
	})
	if s.Page != nil {
		mux.Handle("GET /page/", s.Page)
	}
	if s.API != nil {
		mux.Handle("/api/", s.API)
	}
	mux.HandleFunc("GET /live", func(w http.ResponseWriter, _ *http.Request) { answer(w, http.StatusOK, "live\n") })
	mux.HandleFunc("GET /ready", func(w http.ResponseWriter, _ *http.Request) {
		if s.Ready() {
			answer(w, http.StatusOK, "ready\n")
			return
		}
		answer(w, http.StatusServiceUnavailable, "not ready: "+Why(s.Stats())+"\n")
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(gatherers(s), promhttp.HandlerOpts{
		ErrorLog: newTroubles(s.Logger), ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: maxScrapes,
	}))
	mux.HandleFunc("GET /log/level", showLevel)
	mux.Handle("PUT /log/level", onlyLocal(setLevel(s.Logger)))
	if s.Profiles {
		profiles(mux)
	}
	return mux
}

// forPeople says whether a browser asks. Whoever else asks gets the lines of text, as curl does.
func forPeople(r *http.Request) bool { return strings.Contains(r.Header.Get("Accept"), "text/html") }

// profiles serves what net/http/pprof does, but for the command line, in which there may be secrets.
func profiles(mux *http.ServeMux) {
	mux.Handle("GET /debug/pprof/", onlyLocal(http.HandlerFunc(pprof.Index)))
	mux.Handle("GET /debug/pprof/profile", onlyLocal(http.HandlerFunc(pprof.Profile)))
	mux.Handle("GET /debug/pprof/trace", onlyLocal(http.HandlerFunc(pprof.Trace)))
}

// Why says what prevents a process from being ready.
func Why(s consumer.Stats) string {
	switch {
	case len(s.Waiting) > 0:
		p := s.Waiting[0]
		return fmt.Sprintf("%s/%d waits at the batch of offsets %d to %d, which cannot be unpacked, and with it %d more; "+
			"the others go on",
			p.Topic, p.Partition, p.Offset, p.Next-1, len(s.Waiting)-1)
	case s.JournalNext < 0:
		return "reaching Kafka and restoring the newest snapshot"
	case s.Standing.Trouble != "":
		return s.Standing.Trouble
	case s.JournalEnd < 0:
		return fmt.Sprintf("the journal's end is unknown; applied up to %d", s.JournalNext)
	case s.JournalNext < s.JournalEnd:
		return fmt.Sprintf("catching up with the journal: next is %d, the end is %d, %d to go", s.JournalNext, s.JournalEnd,
			s.JournalEnd-s.JournalNext)
	}
	return fmt.Sprintf("caught up with the journal at %d, but taking no documents: about to start, or stopping",
		s.JournalNext)
}

// answer answers with plain text that nobody keeps.
func answer(w http.ResponseWriter, code int, text string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
	_, _ = io.WriteString(w, text) // an error means that the client is gone
}
