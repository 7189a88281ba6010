package pagetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// JSON is an object of an answer.
type JSON = map[string]any

// Stage serves the program's own page, below a path, with made-up answers behind it.
type Stage struct {
	URL string

	mu     sync.Mutex
	status JSON
	past   []JSON // the points of the history
	copies []JSON // the oldest first
	texts  map[string]string
	answer func(w http.ResponseWriter, r *http.Request) bool // answers instead, where it returns true
	token  string
	absent string // a file of the page that is not found
	asked  []*http.Request
	open   int           // streams of events
	news   chan struct{} // closed when something is asked or a stream ends
	server *httptest.Server
}

// prefix is the path below which a proxy would serve the page.
const prefix = "/ops/unecho"

// NewStage starts a stage in front of a program.
func NewStage(program string) (*Stage, error) {
	behind, err := url.Parse(program)
	if err != nil {
		return nil, err
	}
	s := &Stage{status: full(), past: past(180), texts: map[string]string{}, news: make(chan struct{})}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(behind) }}
	mux := http.NewServeMux()
	mux.Handle("/", proxy)
	mux.HandleFunc("GET /api/v1/status", func(w http.ResponseWriter, _ *http.Request) { s.writeJSON(w, s.status) })
	mux.HandleFunc("GET /api/v1/history", func(w http.ResponseWriter, _ *http.Request) { s.writeJSON(w, JSON{"points": s.past}) })
	mux.HandleFunc("GET /api/v1/recent", s.recent)
	mux.HandleFunc("GET /api/v1/events", s.events)
	mux.HandleFunc("GET /api/v1/document/{topic}/{partition}/{offset}", s.document)
	mux.HandleFunc("POST /api/v1/lookup", s.lookup)
	s.server = httptest.NewServer(http.StripPrefix(prefix, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/api/") && s.refuses(w, r) {
			return
		}
		if r.URL.Path == s.absent {
			http.NotFound(w, r)
			return
		}
		mux.ServeHTTP(w, r)
	})))
	s.URL = s.server.URL + prefix + "/"
	return s, nil
}

// Close ends it.
func (s *Stage) Close() {
	s.server.CloseClientConnections()
	s.server.Close()
}

// Set changes what is answered.
func (s *Stage) Set(change func(*Stage)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

// Until waits until something is true of the stage.
func (s *Stage) Until(yes func(*Stage) bool) error {
	late := time.After(patience)
	for {
		s.mu.Lock()
		done, news := yes(s), s.news
		s.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-news:
		case <-late:
			return fmt.Errorf("within %v it does not become true of what is asked", patience)
		}
	}
}

// wake wakes who waits in Until. The caller has the lock.
func (s *Stage) wake() {
	close(s.news)
	s.news = make(chan struct{})
}

func (s *Stage) refuses(w http.ResponseWriter, r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, r)
	s.wake()
	if s.token != "" && r.Header.Get("Authorization") != "Bearer "+s.token {
		fail(w, http.StatusUnauthorized, "the request carries no valid token", "send the header Authorization")
		return true
	}
	return s.answer != nil && s.answer(w, r)
}

func fail(w http.ResponseWriter, code int, what, remedy string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(JSON{"error": what, "remedy": remedy})
}

func (s *Stage) writeJSON(w http.ResponseWriter, what any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(what)
}

func (s *Stage) recent(w http.ResponseWriter, r *http.Request) {
	newest := []JSON{}
	s.mu.Lock()
	for _, c := range s.copies {
		if topic := r.FormValue("topic"); topic == "" || c["document"].(JSON)["topic"] == topic {
			newest = append([]JSON{c}, newest...)
		}
	}
	s.mu.Unlock()
	s.writeJSON(w, JSON{"copies": newest, "count": len(newest)})
}

func (s *Stage) streams(more int) {
	s.open += more
	s.wake()
}

// events tells each copy that is added from now on, or after the one that the page saw last.
func (s *Stage) events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	s.mu.Lock()
	next := len(s.copies)
	s.streams(1)
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.streams(-1)
	}()
	if last, err := strconv.Atoi(r.Header.Get("Last-Event-ID")); err == nil {
		next = last + 1
	}
	alive := time.NewTicker(10 * time.Second)
	defer alive.Stop()
	for control.Flush() == nil {
		s.mu.Lock()
		for ; next < len(s.copies); next++ {
			data, _ := json.Marshal(s.copies[next])
			fmt.Fprintf(w, "id: %d\nevent: copy\ndata: %s\n\n", next, data)
		}
		s.mu.Unlock()
		select {
		case <-time.After(50 * time.Millisecond):
		case <-alive.C:
			fmt.Fprint(w, ": alive\n\n")
		case <-r.Context().Done():
			return
		}
	}
}

func (s *Stage) document(w http.ResponseWriter, r *http.Request) {
	at := r.PathValue("topic") + "/" + r.PathValue("partition") + "/" + r.PathValue("offset")
	s.mu.Lock()
	text, ok := s.texts[at]
	s.mu.Unlock()
	if !ok {
		fail(w, http.StatusForbidden, "texts are not shown, because http.show_text is not set",
			"set http.show_text: true and start the member again")
		return
	}
	s.writeJSON(w, JSON{
		"topic": r.PathValue("topic"), "verdict": "unique", "in_window": true, "copies": 3,
		"leaves": JSON{"at": ago(-time.Hour), "bound": "memory"}, "match": nil,
		"text": JSON{"text": text, "cut": false, "raw": text, "raw_cut": false, "raw_bytes": len(text)},
	})
}

func (s *Stage) lookup(w http.ResponseWriter, r *http.Request) {
	var q struct{ Text string }
	if json.NewDecoder(r.Body).Decode(&q) != nil || r.Header.Get("Content-Type") != "application/json" {
		fail(w, http.StatusBadRequest, "no question", "ask one")
		return
	}
	result := JSON{"duplicate": false, "matches": []JSON{}, "compared": 3, "cut": false, "threshold": 0.8, "bands": 18}
	if strings.Contains(q.Text, "bridge") {
		result["duplicate"], result["matches"] = true, []JSON{{
			"topic": "news", "partition": 1, "offset": 7, "id": "wire-7", "time": ago(26 * time.Minute), "similarity": 0.9183,
			"method": "jaccard", "copy": 4,
			"bands": []int{0, 3, 11}, "shared": JSON{"part": 45, "whole": 49, "of": "shingles"},
		}}
	} else if strings.Contains(q.Text, "harbour") {
		result["nearest"] = JSON{
			"topic": "news", "partition": 1, "offset": 7, "id": "wire-7", "time": ago(26 * time.Minute), "similarity": 0.6561,
			"method": "jaccard", "bands": []int{3}, "shared": JSON{"part": 229, "whole": 349, "of": "shingles"}, "missing": 28,
		}
	}
	s.writeJSON(w, JSON{"results": []JSON{result}})
}

// Add adds a duplicate, as if it were found now.
func (s *Stage) Add(name string, similarity float64, original, copied string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(s.copies) + 1
	s.texts[fmt.Sprintf("news/0/%d", n)], s.texts[fmt.Sprintf("news/1/%d", n)] = original, copied
	s.copies = append(s.copies, JSON{
		"number": n, "judged": ago(0), "reemitted": false, "late_s": 0,
		"document": JSON{"topic": "news", "partition": 1, "offset": n, "id": name, "time": ago(0)},
		"match": JSON{
			"topic": "news", "partition": 0, "offset": n, "id": "original of " + name,
			"time":       ago(time.Duration(n) * time.Minute),
			"similarity": similarity, "method": "jaccard", "copy": 2,
		},
	})
}

func ago(d time.Duration) string { return time.Now().Add(-d).UTC().Format("2006-01-02T15:04:05.000Z") }
