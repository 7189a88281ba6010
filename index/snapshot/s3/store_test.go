package s3

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/johannesboyne/gofakes3"
	"github.com/johannesboyne/gofakes3/backend/s3mem"
	"go.uber.org/goleak"

	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/objects"
	"github.com/unecho/unecho/index/snapshot/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	bucket = "snapshots"
	secret = "hush-hush"
)

// fake is a store in this process. Its objects can be made older.
type fake struct {
	gofakes3.Backend
	mu    sync.Mutex
	older map[string]time.Duration
	url   string
	first atomic.Pointer[func(http.ResponseWriter, *http.Request, http.Handler)] // who answers in place of the store
}

func newFake(t testing.TB) *fake {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", "someone")
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	f := &fake{Backend: s3mem.New(), older: make(map[string]time.Duration)}
	must(t, f.CreateBucket(bucket))
	store := gofakes3.New(f, gofakes3.WithoutVersioning()).Server()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if first := f.first.Load(); first != nil {
			(*first)(w, r, store)
			return
		}
		store.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	f.url = server.URL
	return f
}

func (f *fake) params() Params {
	return Params{Bucket: bucket, Prefix: "some/where", Endpoint: f.url, Region: "us-east-1"}
}

func (f *fake) ListBucket(name string, prefix *gofakes3.Prefix, page gofakes3.ListBucketPage) (*gofakes3.ObjectList, error) {
	list, err := f.Backend.ListBucket(name, prefix, page)
	if err == nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, c := range list.Contents {
			c.LastModified.Time = c.LastModified.Add(-f.older[c.Key])
		}
	}
	return list, err
}

func (f *fake) GetObject(bucket, key string, r *gofakes3.ObjectRangeRequest) (*gofakes3.Object, error) {
	o, err := f.Backend.GetObject(bucket, key, r)
	if err == nil {
		f.mu.Lock()
		defer f.mu.Unlock()
		at, err := http.ParseTime(o.Metadata["Last-Modified"])
		if err != nil {
			return nil, err
		}
		o.Metadata = map[string]string{"Last-Modified": at.Add(-f.older[key]).UTC().Format(http.TimeFormat)}
	}
	return o, err
}

func (f *fake) PutObject(
	bucket, key string, meta map[string]string, r io.Reader, size int64, on *gofakes3.PutConditions,
) (gofakes3.PutObjectResult, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	done, err := f.Backend.PutObject(bucket, key, meta, r, size, on)
	if err == nil {
		delete(f.older, key)
	}
	return done, err
}

// answer has somebody else answer, who may ask the store.
func (f *fake) answer(first func(w http.ResponseWriter, r *http.Request, store http.Handler)) {
	f.first.Store(&first)
}

// refuse has the store refuse each request.
func (f *fake) refuse(status int, code, message string) {
	f.answer(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.WriteHeader(status)
		fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s</Message></Error>", code, message)
	})
}

func (f *fake) store(t testing.TB) *Store {
	t.Helper()
	s, err := f.params().Open(t.Context(), "orders")
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s.(*Store)
}

// each calls do for each object, with its content.
func (f *fake) each(t testing.TB, do func(key string, data []byte)) {
	t.Helper()
	list, err := f.Backend.ListBucket(bucket, nil, gofakes3.ListBucketPage{})
	must(t, err)
	for _, c := range list.Contents {
		o, err := f.Backend.GetObject(bucket, c.Key, nil)
		if gofakes3.HasErrorCode(err, gofakes3.ErrNoSuchKey) {
			continue
		}
		must(t, err)
		data, err := io.ReadAll(o.Contents)
		must(t, err)
		must(t, o.Contents.Close())
		do(c.Key, data)
	}
}

// rewrite changes the object whose name contains part. Its age stays.
func (f *fake) rewrite(t testing.TB, part string, change func([]byte) []byte) {
	t.Helper()
	f.each(t, func(key string, data []byte) {
		if strings.Contains(key, part) {
			data = change(data)
			meta := map[string]string{"Last-Modified": time.Now().UTC().Format(http.TimeFormat)}
			_, err := f.Backend.PutObject(bucket, key, meta, bytes.NewReader(data), int64(len(data)), nil)
			must(t, err)
		}
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestConformance(t *testing.T) {
	storetest.Run(t, func(t *testing.T) storetest.Backing {
		t.Helper()
		f := newFake(t)
		return storetest.Backing{
			Opener:         f.params(),
			CorruptSegment: func(t testing.TB, name string, change func([]byte) []byte) { f.rewrite(t, name, change) },
			CorruptManifest: func(t testing.TB, at snapshot.Position, change func([]byte) []byte) {
				f.rewrite(t, fmt.Sprintf("manifests/%020d", at.Offset), change)
			},
			Bytes: func(t testing.TB) (all []byte) {
				f.each(t, func(_ string, data []byte) { all = append(all, data...) })
				return all
			},
			Age: func(t testing.TB, by time.Duration) { // the store tells time in seconds
				f.each(t, func(key string, _ []byte) {
					if strings.Contains(key, "/"+objects.Segments) || strings.Contains(key, "/"+objects.Manifests) {
						f.mu.Lock()
						f.older[key] += by + 2*time.Second
						f.mu.Unlock()
					}
				})
			},
		}
	})
}

// A manifest that comes damaged may be whole in the bucket: the segments that it names stay.
func TestDamagedOnTheWay(t *testing.T) {
	f := newFake(t)
	s := f.store(t)
	segment := snapshot.NewSegment([]byte("a segment"), 1)
	must(t, s.PutSegment(t.Context(), segment.Name, []byte("a segment")))
	must(t, s.Publish(t.Context(), snapshot.Manifest{Index: "orders", Segments: []snapshot.Segment{segment}}))
	f.age(s.root+objects.Segments+segment.Name, 2*snapshot.Grace)
	f.rewrite(t, objects.Manifests, func(data []byte) []byte { return data[:len(data)-1] })
	if done, err := s.Collect(t.Context(), 1); err != nil || done.Segments > 0 {
		t.Errorf("collected %+v, error %v; want that the segment stays", done, err)
	}
}
