package api

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/unecho/unecho/cmd/internal/api/shape"
	"github.com/unecho/unecho/consumer/recent"
	"github.com/unecho/unecho/index"
)

// Bounds of what is told of copies.
const (
	usualRecent = 50
	maxStreams  = 16
	// A stream looks for copies so often, and tells at most so many of them.
	streamEvery = 250 * time.Millisecond
	streamMost  = 25
	aliveEvery  = 15 * time.Second // a comment, so that nobody between closes a quiet connection
)

func newMatch(m *index.Match) shape.Match {
	const parts = 10_000
	return shape.Match{
		Coordinates: shape.Coordinates{Topic: m.Topic, Partition: m.Source.Partition, Offset: m.Offset, ID: m.ID, Time: shape.At(m.Time)},
		Similarity:  float64(m.Similarity.TenThousandths()) / parts, Method: m.Method.String(), Copy: m.Copy,
	}
}

func newCopied(c *recent.Copy) shape.Copy {
	return shape.Copy{
		Number: c.Number, Judged: shape.At(c.Judged), Match: newMatch(&c.Match), Reemitted: c.Reemitted, LateS: c.Late,
		Document: shape.Coordinates{Topic: c.Topic, Partition: c.Source.Partition, Offset: c.Offset, ID: c.ID, Time: shape.At(c.Time)},
	}
}

type filter struct {
	topic   string
	scoped  bool // only copies of the scope
	scope   uint64
	least   float64
	most    int
	after   uint64
	resumed bool // after was given
	anew    bool // it was of another process
}

func (f *filter) matches(c *recent.Copy) bool {
	return (f.topic == "" || f.topic == c.Topic) && (!f.scoped || f.scope == c.Scope) &&
		float64(c.Match.Similarity.TenThousandths()) >= f.least*10_000
}

// readFilter answers by itself what is none.
func (a *api) readFilter(w http.ResponseWriter, r *http.Request) (f filter, ok bool) {
	asked := r.URL.Query()
	f = filter{topic: asked.Get("topic"), most: usualRecent}
	var err error
	if name := asked.Get("scope"); name != "" {
		if f.scope, err = a.reader.Scope(f.topic, name); err != nil {
			fail(w, http.StatusBadRequest, err.Error(), `write "scope" as the documents have it`)
			return f, false
		}
		f.scoped = true
	}
	if text := asked.Get("min_similarity"); text != "" {
		if f.least, err = strconv.ParseFloat(text, 64); err != nil || !(f.least >= 0 && f.least <= 1) {
			fail(w, http.StatusBadRequest, "min_similarity must be 0 to 1", "write min_similarity=0.9")
			return f, false
		}
	}
	if text := asked.Get("limit"); text != "" {
		if f.most, err = strconv.Atoi(text); err != nil || f.most < 1 || f.most > recent.Kept {
			fail(w, http.StatusBadRequest, fmt.Sprintf("limit must be 1 to %d", recent.Kept), "write limit=50")
			return f, false
		}
	}
	after := r.Header.Get("Last-Event-ID")
	if after == "" {
		after = asked.Get("after")
	}
	if after != "" && !f.goesOn(after, a.run) {
		fail(w, http.StatusBadRequest, "after must be the id of an event, or the number of a copy",
			"leave it out to begin now")
		return f, false
	}
	return f, true
}

// goesOn reads where a stream goes on: RUN-NUMBER as an event has it, or a bare number. What another process numbered
// is told from the beginning.
func (f *filter) goesOn(after, run string) bool {
	of, number, named := strings.Cut(after, "-")
	if !named {
		of, number = run, after
	}
	n, err := strconv.ParseUint(number, 10, 64)
	f.after, f.resumed = n, true
	if of != run {
		f.after, f.anew = 0, true
	}
	return err == nil && of != ""
}

// event is the id of the event of a copy, and of where a stream goes on.
func (a *api) event(number uint64) string { return a.run + "-" + strconv.FormatUint(number, 10) }

// recent answers GET /api/v1/recent: the newest first.
func (a *api) recent(w http.ResponseWriter, r *http.Request) {
	f, ok := a.readFilter(w, r)
	if !ok {
		return
	}
	last, count := a.Service.Recent().Last(f.most, f.matches)
	out := make([]shape.Copy, len(last))
	for i := range last {
		out[i] = newCopied(&last[i])
	}
	answer(w, http.StatusOK, shape.Recent{Copies: out, Count: count, After: a.event(count)})
}

// stream answers GET /api/v1/events. A client that was cut off goes on behind the last copy that it saw.
func (a *api) stream(w http.ResponseWriter, r *http.Request) {
	f, ok := a.readFilter(w, r)
	if !ok {
		return
	}
	if !a.events.TryAcquire(1) {
		w.Header().Set("Retry-After", "10")
		fail(w, http.StatusTooManyRequests, fmt.Sprintf("%d clients read events already", maxStreams), "close one of them")
		return
	}
	defer a.events.Release(1)
	next := f.after
	if !f.resumed {
		next = a.Service.Recent().Count() // before the client sees an answer: it is told all from then on
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{}) // a stream has no end
	head(w, "text/event-stream", http.StatusOK)
	if control.Flush() != nil {
		return
	}
	if f.anew {
		if _, err := fmt.Fprint(w, "event: restarted\ndata: {}\n\n"); err != nil {
			return
		}
	}
	tick := time.NewTicker(streamEvery)
	defer tick.Stop()
	for quiet := time.Now(); ; {
		sent, err := a.writeCopies(w, &f, &next)
		if sent == 0 && time.Since(quiet) > aliveEvery && err == nil {
			_, err = fmt.Fprint(w, ": alive\n\n")
			sent = 1
		}
		if sent > 0 && err == nil {
			quiet = time.Now()
			_ = control.SetWriteDeadline(quiet.Add(2 * aliveEvery))
			err = control.Flush()
		}
		if err != nil {
			return
		}
		select {
		case <-tick.C:
		case <-r.Context().Done():
			return
		case <-a.ended:
			return
		}
	}
}

// writeCopies writes the copies behind next, and says how many were left out because there are too many to read.
func (a *api) writeCopies(w http.ResponseWriter, f *filter, next *uint64) (sent int, err error) {
	copies, behind, missed := a.Service.Recent().After(*next, recent.Kept, f.matches)
	*next = behind
	if extra := len(copies) - streamMost; extra > 0 {
		copies, missed = copies[extra:], missed+uint64(extra)
	}
	if missed > 0 {
		sent++
		if _, err = fmt.Fprintf(w, "event: missed\ndata: {\"copies\":%d}\n\n", missed); err != nil {
			return sent, err
		}
	}
	for i := range copies {
		sent++
		data, err := json.Marshal(newCopied(&copies[i]))
		if err != nil {
			return sent, err
		}
		if _, err = fmt.Fprintf(w, "id: %s\nevent: copy\ndata: %s\n\n", a.event(copies[i].Number), data); err != nil {
			return sent, err
		}
	}
	return sent, nil
}
