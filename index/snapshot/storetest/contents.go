package storetest

import (
	"bytes"
	"context"
	"reflect"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/snapshot"
)

func empty(t *testing.T, b Backing) {
	s := open(t, b)
	wantListed(t, s)
	_, err := s.Manifest(t.Context(), at(1))
	want(t, err, snapshot.ErrNoManifest)
	wantMissing(t, s, 1)
	name := snapshot.SegmentName(content(1))
	missing, err := s.HasSegments(t.Context(), []string{name})
	must(t, err)
	if !reflect.DeepEqual(missing, []string{name}) {
		t.Fatalf("missing %v", missing)
	}
	if missing, err := s.HasSegments(t.Context(), nil); err != nil || len(missing) > 0 {
		t.Fatalf("of no names, %v are missing: %v", missing, err)
	}
	collected, err := s.Collect(t.Context(), 1)
	if err != nil || collected != (snapshot.Collected{}) {
		t.Fatalf("collected %+v from nothing: %v", collected, err)
	}
	if _, err := s.Collect(t.Context(), 0); err == nil {
		t.Fatal("a collector that keeps nothing was let in")
	}
}

func roundTrip(t *testing.T, b Backing) {
	s := open(t, b)
	m := publish(t, s, at(7), 1, 2, 3)
	again := open(t, b)
	for _, s := range []snapshot.Store{s, again} {
		wantListed(t, s, at(7))
		wantRestorable(t, s, m)
		got, err := s.Segment(t.Context(), m.Segments[1].Name)
		must(t, err)
		if !bytes.Equal(got, content(2)) {
			t.Fatalf("got %q", got)
		}
		infos, err := s.Manifests(t.Context())
		must(t, err)
		info := infos[0]
		if info.Taken != m.Taken || info.Documents != 6 || info.Bytes != int64(3*len(content(1))) || info.Published == 0 {
			t.Fatalf("listed as %+v", info)
		}
	}
	bare := snapshot.Manifest{Index: Index, Position: snapshot.Position{JournalTopic: journal(1), LeaderEpoch: -1, Offset: 8}}
	must(t, s.Publish(t.Context(), bare))
	got, err := again.Manifest(t.Context(), bare.Position)
	must(t, err)
	if len(got.State) > 0 || len(got.Segments) > 0 || got.Position != bare.Position {
		t.Fatalf("an empty snapshot came back as %+v", got)
	}
	wantListed(t, s, bare.Position, at(7))
}

func putAgain(t *testing.T, b Backing) {
	s, other := open(t, b), open(t, b)
	for _, s := range []snapshot.Store{s, other, s} {
		m := put(t, s, at(1), 4)
		got, err := other.Segment(t.Context(), m.Segments[0].Name)
		must(t, err)
		if !bytes.Equal(got, content(4)) {
			t.Fatalf("got %q", got)
		}
	}
	nothing := snapshot.SegmentName(nil)
	must(t, s.PutSegment(t.Context(), nothing, nil))
	if got, err := other.Segment(t.Context(), nothing); err != nil || len(got) > 0 {
		t.Fatalf("the empty segment came back as %q, %v", got, err)
	}
}

func names(t *testing.T, b Backing) {
	s := open(t, b)
	good := snapshot.SegmentName(nil)
	for _, name := range []string{"", "x", "../../passwd", good[:63], good + "0", strings.ToUpper(good), "../" + good[3:]} {
		if err := s.PutSegment(t.Context(), name, nil); err == nil {
			t.Errorf("a segment may be named %q", name)
		}
		_, err := s.Segment(t.Context(), name)
		want(t, err, snapshot.ErrMissingSegment)
		m := snapshot.Manifest{Index: Index, Position: at(1), Segments: []snapshot.Segment{{Name: name}}}
		if err := s.Publish(t.Context(), m); err == nil {
			t.Errorf("a manifest may name %q", name)
		}
	}
	wantListed(t, s)
}

func indexesApart(t *testing.T, b Backing) {
	s := open(t, b)
	m := publish(t, s, at(7), 1)
	for _, index := range []string{
		strings.ToLower(Index), "orders", "..", ".", strings.Repeat("long", 100),
		strings.Repeat("long", 101),
	} {
		other := b.open(t, index)
		wantListed(t, other)
		wantMissing(t, other, 1)
		if err := other.Publish(t.Context(), snapshot.Manifest{Index: Index, Position: at(8)}); err == nil {
			t.Errorf("index %q takes a manifest of %q", index, Index)
		}
		must(t, other.PutSegment(t.Context(), snapshot.SegmentName(content(2)), content(2)))
		must(t, other.Close())
	}
	wantMissing(t, s, 2)
	wantRestorable(t, s, m)
}

func canceled(t *testing.T, b Backing) {
	s := open(t, b)
	publish(t, s, at(1), 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, call := range each(ctx, s) {
		t.Run(name, func(t *testing.T) { want(t, call(), context.Canceled) })
	}
	must(t, s.PutSegment(t.Context(), snapshot.SegmentName(nil), nil))
	wantListed(t, s, at(1))
}

func fetch(t *testing.T, b Backing) {
	s := open(t, b)
	m := publish(t, s, at(7), 5, 1, 4, 2, 3, 5)
	for _, parallel := range []int{0, 1, 2, 100} {
		var got []byte
		err := snapshot.FetchSegments(t.Context(), s, m.Segments, parallel, func(_ int, data []byte) error {
			got = append(got, data...)
			return nil
		})
		must(t, err)
		if all := bytes.Join([][]byte{content(5), content(1), content(4), content(2), content(3), content(5)},
			nil); !bytes.Equal(got, all) {
			t.Fatalf("with %d reads ahead came %q", parallel, got)
		}
	}
}
