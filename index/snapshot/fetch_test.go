package snapshot

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shelf is a Store with only Segment, which answers when the gate lets it.
type shelf struct {
	Store
	segments map[string][]byte
	gate     func(ctx context.Context, name string) error
}

func (s *shelf) Segment(ctx context.Context, name string) ([]byte, error) {
	if err := s.gate(ctx, name); err != nil {
		return nil, err
	}
	data, ok := s.segments[name]
	if !ok {
		return nil, &MissingSegmentsError{Names: []string{name}}
	}
	return data, nil
}

func stocked(n int) (*shelf, []Segment) {
	s := &shelf{segments: make(map[string][]byte), gate: func(context.Context, string) error { return nil }}
	var segments []Segment
	for i := range n {
		data := fmt.Append(nil, "segment ", i)
		segments = append(segments, NewSegment(data, i))
		s.segments[segments[i].Name] = data
	}
	return s, segments
}

// TestFetchOrderAndBound makes reads end in the opposite order, as far as the bound allows.
func TestFetchOrderAndBound(t *testing.T) {
	const parallel = 4
	s, segments := stocked(20)
	number := make(map[string]int)
	started := make([]chan struct{}, len(segments)+parallel)
	for i := range started {
		started[i] = make(chan struct{})
	}
	for i, segment := range segments {
		number[segment.Name] = i
	}
	for i := len(segments); i < len(started); i++ {
		close(started[i])
	}
	var inFlight, most atomic.Int64
	s.gate = func(_ context.Context, name string) error {
		if n := inFlight.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer inFlight.Add(-1)
		i := number[name]
		close(started[i])
		if i%parallel == 0 {
			<-started[i+parallel-1] // the last one of this round starts before the first may end
		}
		return nil
	}
	next := 0
	err := FetchSegments(t.Context(), s, segments, parallel, func(i int, data []byte) error {
		if i != next || string(data) != fmt.Sprint("segment ", i) {
			t.Errorf("got %d, %q, want %d", i, data, next)
		}
		next++
		return nil
	})
	if err != nil || next != len(segments) || most.Load() > parallel {
		t.Fatalf("%d of %d, %d at once, %v", next, len(segments), most.Load(), err)
	}
}

func TestFetchNothing(t *testing.T) {
	if err := FetchSegments(t.Context(), nil, nil, 4, nil); err != nil {
		t.Fatal(err)
	}
}

// TestFetchEnds: after any error, the reads under way are cancelled and waited for (goleak checks).
func TestFetchEnds(t *testing.T) {
	broken := errors.New("broken")
	t.Run("reader", func(t *testing.T) {
		s, segments := stocked(9)
		s.gate = func(ctx context.Context, name string) error {
			if name == segments[2].Name {
				return broken
			}
			if name == segments[3].Name || name == segments[4].Name {
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		calls := 0
		err := FetchSegments(t.Context(), s, segments, 3, func(int, []byte) error { calls++; return nil })
		if !errors.Is(err, broken) || calls != 2 {
			t.Errorf("%v after %d segments", err, calls)
		}
	})
	t.Run("caller", func(t *testing.T) {
		s, segments := stocked(9)
		err := FetchSegments(t.Context(), s, segments, 3, func(i int, _ []byte) error {
			if i == 1 {
				return broken
			}
			return nil
		})
		if !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("context", func(t *testing.T) {
		s, segments := stocked(9)
		ctx, cancel := context.WithCancel(t.Context())
		err := FetchSegments(ctx, s, segments, 1, func(int, []byte) error { cancel(); return nil })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("content", func(t *testing.T) {
		for name, change := range map[string]func(s *Segment){
			"length":   func(s *Segment) { s.Bytes++ },
			"checksum": func(s *Segment) { s.Checksum++ },
		} {
			s, segments := stocked(3)
			change(&segments[1])
			var corrupt *CorruptError
			err := FetchSegments(t.Context(), s, segments, 3, func(int, []byte) error { return nil })
			if !errors.As(err, &corrupt) {
				t.Errorf("%s: got %v", name, err)
			}
		}
	})
}
