package api

import (
	"context"
	_ "embed" // the description
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/cmd/internal/report"
	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/recent"
	"github.com/unecho/unecho/consumer/removal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
)

// Service is the member that is asked about. All methods are called from many goroutines.
type Service interface {
	Stats() consumer.Stats
	Ready() bool
	Lookup(ctx context.Context, e *entry.Entry, most int) (index.Answer, error)
	Recent() *recent.Copies
	Roster(ctx context.Context) (consumer.Roster, error)
	Find(ctx context.Context, topic string, partition int32, offset int64) (member.Whereabouts, error)
	Forget(ctx context.Context, names []string, copies, dry bool) (found removal.Found, offset int64, err error)
	Record(ctx context.Context, source entry.Source, topic string, offset int64) (document.Input, error)
}

// Setup is what the API is made of.
type Setup struct {
	Service  Service
	Index    index.Params
	Sources  []document.Source
	Group    string
	Settings []shape.Setting
	Own      []byte // canonical text of the settings that decide verdicts, to be held against those in force
	Version  string
	Why      func(consumer.Stats) string // why a member is not ready
	// Certificate says what is wrong at a moment with the certificate by which the API is known; nil: it has none.
	Certificate func(now time.Time) string
	Sessions    int // that the process has
	Access      Access
	Limits      Limits
	// SnapshotEvery is how often a snapshot is taken.
	SnapshotEvery time.Duration
	ShowText      bool     // texts of documents may leave
	Gateway       Gateway  // takes documents; nil: none are taken
	Topics        []string // that documents may be sent to
	// MaxDocument is how many bytes a document may have that is sent, whatever its topic allows.
	MaxDocument int
	// Remains says where documents still are that are forgotten.
	Remains report.Remains
	Logger  zerolog.Logger
}

// API answers requests about one process.
type API struct {
	http.Handler
	*api
}

// Run reads what rates are made of, until ctx is done, and then ends all streams. Without it the API answers, and
// tells no rates. Call it once.
func (a *API) Run(ctx context.Context) {
	defer close(a.ended)
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for {
		s := a.Service.Stats()
		a.history.add(&s, time.Now())
		a.watch.look(&s, a.Service.Ready(), time.Now())
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

type api struct {
	*Setup
	history history
	watch   watch
	run     string        // names this process's numbers of copies; of another process it is another one
	ended   chan struct{} // closed when no stream goes on
	reader  *document.Reader
	lookup  chan *signer        // those at rest; their number bounds how many lookups are signed at a time
	waiting *semaphore.Weighted // lookups that wait for a signer
	events  *semaphore.Weighted // streams
	texts   *semaphore.Weighted // records that are read
	lookups *rate.Limiter

	documents *rate.Limiter
	sending   *semaphore.Weighted // requests with documents
	untaken   zerolog.Logger      // tells of documents that were not taken, a line a second at most
	bodies    bodies
}

// params are the settings in force, as a reading of the service says.
func (a *api) params(s *consumer.Stats) *index.Params {
	if s.Params.Duplicates.Method == "" { // nothing was read yet
		return &a.Index
	}
	return &s.Params
}

// inForce are the settings in force.
func (a *api) inForce() *index.Params {
	s := a.Service.Stats()
	return a.params(&s)
}

// New returns the handler of all paths below /api/v1/.
func New(setup *Setup) (*API, error) {
	reader, err := document.NewSources(setup.Sources)
	if err != nil {
		return nil, err
	}
	a := &api{
		Setup: setup, reader: reader, lookup: make(chan *signer, signersAtOnce),
		waiting: semaphore.NewWeighted(maxWaiting), events: semaphore.NewWeighted(maxStreams),
		run: strconv.FormatInt(time.Now().UnixNano(), 36), ended: make(chan struct{}),
		watch:   watch{certificate: setup.Certificate, sessions: setup.Sessions},
		texts:   semaphore.NewWeighted(textsAtOnce),
		lookups: setup.Limits.lookups(), documents: setup.Limits.documents(), sending: semaphore.NewWeighted(maxSending),
		untaken: setup.Logger.Sample(&zerolog.BurstSampler{Burst: 1, Period: time.Second}),
	}
	for range signersAtOnce {
		a.lookup <- &signer{}
	}
	mux, err := operations(map[string]http.HandlerFunc{
		"status": a.status, "history": a.past, "config": a.config, "recent": a.recent, "events": a.stream, "lookup": a.ask, "forget": a.forget,
		"send": a.send, "document": a.document, "openapi": describe,
	})
	if err != nil {
		return nil, err
	}
	requests := setup.Limits.requests()
	guarded := func(next http.Handler) http.Handler {
		return setup.Access.guard(limited(requests, a.bodies.bounded(next)))
	}
	all := http.NewServeMux()
	all.Handle("GET "+base+"/openapi.json", mux) // it has no data, so it needs no token
	all.Handle("POST "+base+"/documents", guarded(a.counted(mux)))
	all.Handle("/", guarded(mux))
	a.bodies.left.Store(maxBodies)
	return &API{Handler: all, api: a}, nil
}

func describe(w http.ResponseWriter, _ *http.Request) {
	head(w, kindJSON, http.StatusOK)
	_, _ = w.Write(openAPI)
}

func fail(w http.ResponseWriter, code int, what, remedy string) {
	answer(w, code, shape.Failure{Error: what, Remedy: remedy})
}

func head(w http.ResponseWriter, kind string, code int) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(code)
}

// answer writes JSON. An error means that the client is gone.
func answer(w http.ResponseWriter, code int, what any) {
	head(w, kindJSON, code)
	_ = json.NewEncoder(w).Encode(what)
}

func (a *api) config(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, struct {
		Settings []shape.Setting `json:"settings"`
	}{a.Settings})
}

// base is where the paths of the description begin: what its servers say, from where it is served itself.
const base = "/api/v1"

//go:embed openapi.json
var openAPI []byte

// operation is what the description says of one.
type operation struct {
	ID         string `json:"operationId"`
	Parameters []struct {
		Name, In string
	}
}

// operations returns what answers the requests that are described, and refuses the others. Do has a handler for the
// id of each operation.
func operations(do map[string]http.HandlerFunc) (*http.ServeMux, error) {
	var described struct {
		Paths map[string]map[string]operation // by path, and by method in small letters
	}
	if err := json.Unmarshal(openAPI, &described); err != nil {
		return nil, fmt.Errorf("read openapi.json: %w", err)
	}
	mux := http.NewServeMux()
	for path, methods := range described.Paths {
		var allowed []string
		for method, o := range methods {
			if do[o.ID] == nil {
				return nil, fmt.Errorf("openapi.json describes %s, which nothing answers", o.ID)
			}
			method = strings.ToUpper(method)
			mux.Handle(method+" "+base+path, o.asked(do[o.ID]))
			if allowed = append(allowed, method); method == http.MethodGet {
				allowed = append(allowed, http.MethodHead) // the mux has it answered, too
			}
		}
		slices.Sort(allowed)
		mux.HandleFunc(base+path, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			fail(w, http.StatusMethodNotAllowed, r.URL.Path+" answers no "+r.Method, "use "+strings.Join(allowed, " or "))
		})
	}
	mux.HandleFunc("/api/", func(w http.ResponseWriter, r *http.Request) {
		fail(w, http.StatusNotFound, "there is no "+r.Method+" "+r.URL.Path,
			"GET /api/v1/openapi.json describes what there is")
	})
	return mux, nil
}

// asked lets requests through whose parameters are described.
func (o *operation) asked(next http.Handler) http.Handler {
	var known []string
	for _, p := range o.Parameters {
		if p.In == "query" {
			known = append(known, p.Name)
		}
	}
	remedy := "leave it out: there are none here"
	if len(known) > 0 {
		remedy = "the parameters are " + strings.Join(known, ", ")
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		given, err := url.ParseQuery(r.URL.RawQuery)
		if err != nil {
			fail(w, http.StatusBadRequest, "the parameters cannot be read: "+err.Error(), "encode what is no letter or digit in them")
			return
		}
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if !slices.Contains(known, name) {
				fail(w, http.StatusBadRequest, fmt.Sprintf("%s has no parameter %q", r.URL.Path, name), remedy)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}
