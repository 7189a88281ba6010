package registry

import (
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/sr"
)

// TestCache: a schema is asked for once, however many want it; what is unknown is asked for again after a while; and
// what was not answered, each time.
func TestCache(t *testing.T) {
	registry, asked := standIn(t)
	away := &atomic.Bool{}
	registry.Intercept(func(w http.ResponseWriter, _ *http.Request) bool {
		if away.Load() {
			w.WriteHeader(http.StatusBadGateway)
		}
		return away.Load()
	})
	cache := NewCache(newClient(t, registry.URL(), nil), func(s Schema) (string, error) {
		if strings.Contains(s.Text, "Bad") {
			return "", errors.New("bad")
		}
		return s.Text, nil
	})
	away.Store(true)
	if _, err := cache.Get(t.Context(), ID{Number: 7}); !errors.As(err, new(*AwayError)) {
		t.Errorf("away: %v", err)
	}
	away.Store(false)
	asked.Store(0)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if got, err := cache.Get(t.Context(), ID{Number: 7}); got != text || err != nil {
				t.Errorf("Get of 7 = %q, error %v; want %q and no error", got, err, text)
			}
		})
	}
	all.Wait()
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times for what is known", n)
	}
	registry.SeedSchema("bad-value", 1, 9, sr.Schema{Type: sr.TypeAvro, Schema: strings.Replace(text, `"R"`, `"Bad"`, 1)})
	for _, id := range []ID{{Number: 8}, {Number: 9}} {
		_, first := cache.Get(t.Context(), id)
		asked.Store(0)
		_, second := cache.Get(t.Context(), id)
		if first == nil || first.Error() != second.Error() || asked.Load() != 0 {
			t.Errorf("%v: %v, then %v after %d questions", id, first, second, asked.Load())
		}
	}
}

// TestUnknownIsForgotten: a schema that was registered later is found.
func TestUnknownIsForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cache := NewCache[int](nil, nil)
		cache.asking <- struct{}{}
		cache.keep(ID{Number: 7}, answer[int]{err: ErrUnknown, until: time.Now().Add(unknownFor)})
		time.Sleep(unknownFor - time.Nanosecond)
		if _, is := cache.recall(ID{Number: 7}); !is {
			t.Error("forgotten too early")
		}
		time.Sleep(time.Nanosecond)
		if _, is := cache.recall(ID{Number: 7}); is {
			t.Error("not forgotten")
		}
	})
}

// TestCacheIsBounded: values that name ever more schemas take no more memory.
func TestCacheIsBounded(t *testing.T) {
	cache := NewCache[int](nil, nil)
	for i := range int64(3 * maxCached) {
		cache.keep(ID{Number: i}, answer[int]{})
	}
	if n := len(*cache.known.Load()); n > maxCached {
		t.Errorf("%d are kept", n)
	}
}
