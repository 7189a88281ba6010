package ops

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"slices"
	"strings"

	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer"
)

// maxScrapes bounds how many scrapes are answered at a time, so that they do not accumulate if the process hangs.
const maxScrapes = 4

const endpoints = `unecho: a near-duplicate filter for Kafka

/         in a browser: how this member stands, what it finds, what it remembers
/live     200 as long as the process answers
/ready    200 when it would forward a document that came now, else 503 and a sentence why
/metrics  Prometheus
/api/v1   status, history, config, recent, events, lookup: see /api/v1/openapi.json

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
	case s.FileTrouble != "": // the member has left its group, because judging waits for too long
		return s.FileTrouble
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

// onlyLocal keeps away everybody who is not on this machine, whatever address is listened on: what it guards changes
// the process or looks into it. Who can open a shell here, or forward a port, may.
func onlyLocal(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local(r) {
			answer(w, http.StatusForbidden,
				"this is for callers on the same machine: ask 127.0.0.1 from there, for example through kubectl port-forward\n")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// local says whether a request comes from this machine, was not passed on by a proxy, and names no host. A page in a
// browser that was led here by a name of its own would name that.
func local(r *http.Request) bool {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil || !from.Addr().Unmap().IsLoopback() {
		return false
	}
	for _, passedOn := range []string{"Forwarded", "X-Forwarded-For"} {
		if r.Header.Get(passedOn) != "" {
			return false
		}
	}
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	_, err = netip.ParseAddr(host)
	return err == nil || host == "localhost"
}

// Adjustable returns a logger whose level PUT /log/level changes. Until then it logs what it did. The level is that of
// the whole process (zerolog.SetGlobalLevel): loggers that have a higher one of their own keep it.
func Adjustable(logger zerolog.Logger) zerolog.Logger {
	zerolog.SetGlobalLevel(logger.GetLevel())
	return logger.Level(zerolog.TraceLevel)
}

// levels are those of log.level.
func levels() []string { return []string{"debug", "info", "warn", "error"} }

const maxLevel = 64 // bytes of a request

func showLevel(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, zerolog.GlobalLevel().String()+"\n")
}

func setLevel(logger zerolog.Logger) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxLevel))
		word := strings.TrimSpace(string(body))
		if err != nil || !slices.Contains(levels(), word) {
			answer(w, http.StatusBadRequest, "the body is the level: "+strings.Join(levels(), ", ")+"\n")
			return
		}
		to, _ := zerolog.ParseLevel(word)
		from := zerolog.GlobalLevel()
		zerolog.SetGlobalLevel(min(from, to)) // so that the change is logged
		logger.Info().Stringer("from", from).Stringer("to", to).Msg("log level changes")
		zerolog.SetGlobalLevel(to)
		answer(w, http.StatusOK, word+"\n")
	}
}
