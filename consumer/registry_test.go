package consumer

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sr"
	"github.com/twmb/franz-go/pkg/sr/srfake"
)

// moody is a stand-in for a registry, franz-go's, that can be made to answer nothing of use.
type moody struct {
	*srfake.Registry
	mood  atomic.Pointer[func(http.ResponseWriter, *http.Request)] // nil: it answers
	asked atomic.Int64
}

func (m *moody) becomes(mood func(http.ResponseWriter, *http.Request)) {
	m.asked.Store(0)
	m.mood.Store(&mood)
}

// registry starts a stand-in with one schema, whose number is 7, and has documents be read by it.
func (w *world) registry() *moody {
	m := &moody{Registry: srfake.New()}
	w.t.Cleanup(m.Close)
	m.SeedSchema("news-value", 1, 7, sr.Schema{
		Schema: `{"type":"record","name":"News","fields":[{"name":"text","type":"string"}]}`,
	})
	m.Intercept(func(out http.ResponseWriter, r *http.Request) bool {
		m.asked.Add(1)
		mood := m.mood.Load()
		if mood == nil || *mood == nil {
			return false
		}
		(*mood)(out, r)
		return true
	})
	d := &w.setup.Sources[0].Reading
	d.Format, d.Schema.Framing, d.Registry.URLs, d.Registry.Timeout = "avro", "confluent", []string{m.URL()}, 200*time.Millisecond
	return m
}

// avro is a value that names a schema.
func avro(schema uint32, text string) []byte {
	value := binary.BigEndian.AppendUint32([]byte{0}, schema)
	return append(binary.AppendVarint(value, int64(len(text))), text...)
}

// TestRegistryAway: while the registry says nothing of use, the stream waits and says why, members end when they are
// told to, and no document is rejected for it.
func TestRegistryAway(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	for name, mood := range map[string]func(http.ResponseWriter, *http.Request){
		"in error":      func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(http.StatusServiceUnavailable) },
		"a page":        func(out http.ResponseWriter, _ *http.Request) { fmt.Fprint(out, "<html>Sign in</html>") },
		"login refused": func(out http.ResponseWriter, _ *http.Request) { out.WriteHeader(http.StatusUnauthorized) },
		"hanging": func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-held:
			case <-r.Context().Done():
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, 2)
			registry := w.registry()
			registry.becomes(mood)
			var records []*kgo.Record
			for i := range 40 {
				records = append(records, &kgo.Record{Value: avro(7, fmt.Sprintf("document %d of %d, all of them different", i, i*i))})
			}
			w.send(records...)
			m := w.start(named("m"), sessions(1))
			w.becomes("nobody says that the registry does not answer", func() bool {
				return strings.Contains(m.Stats().Standing.Trouble, "the schema registry does not answer")
			})
			if s := m.Stats(); m.Ready() || s.Unique+s.Duplicate+rejected(s) > 0 {
				t.Errorf("ready: %v, %d documents are out, %v", m.Ready(), s.Unique+s.Duplicate, s.Rejected)
			}
			m.cancel()
			w.await("a member that was told to end does not", m.ended)
			if m.err != nil {
				t.Errorf("it ends with %v, want no error", m.err)
			}
			registry.becomes(nil)
			m = w.start(named("m"), sessions(1))
			w.settled()
			w.becomes("40 documents are out", func() bool { s := m.Stats(); return s.Unique+s.Duplicate == 40 })
			if s := m.Stats(); rejected(s) > 0 {
				t.Errorf("%v rejected", s.Rejected)
			}
			w.ended(m)
		})
	}
	t.Cleanup(func() { close(held) })
}

// TestRegistryHangsRebalance: a member that waits for the registry gives its question up when a partition is taken from
// it, long before the registry's time is up, and one that comes gets the partition.
func TestRegistryHangsRebalance(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 2)
	w.patient()
	registry := w.registry()
	w.setup.Sources[0].Reading.Registry.Timeout = time.Minute
	held, givenUp := make(chan struct{}), make(chan struct{})
	giveUp := sync.OnceFunc(func() { close(givenUp) })
	registry.becomes(func(out http.ResponseWriter, r *http.Request) {
		select {
		case <-held:
		case <-r.Context().Done():
			giveUp()
		}
		out.WriteHeader(http.StatusServiceUnavailable)
	})
	for i := range 2 {
		w.send(&kgo.Record{Partition: int32(i), Value: avro(7, fmt.Sprintf("document %d, which is not like another one", i))})
	}
	first := w.start(named("a"), sessions(1))
	w.becomes("nobody asks the registry", func() bool { return registry.asked.Load() > 0 })
	began := time.Now()
	second := w.start(named("b"), sessions(1))
	w.joined(2)
	w.await("the question is not given up", givenUp)
	if took := time.Since(began); took >= w.setup.Sources[0].Reading.Registry.Timeout {
		t.Errorf("the question is given up by its own time-out, after %v", took)
	}
	registry.becomes(nil)
	close(held)
	w.settled()
	for _, m := range []*running{first, second} {
		if s := m.Stats(); rejected(s) > 0 {
			t.Errorf("%v rejected", s.Rejected)
		}
		w.ended(m)
	}
}

func rejected(s Stats) (n uint64) {
	for _, of := range s.Rejected {
		n += of
	}
	return n
}
