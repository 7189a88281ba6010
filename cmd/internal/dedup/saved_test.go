package dedup_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/dedup"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/index/snapshot/archive"
)

// saved is an index of some articles, as a file.
func saved(t *testing.T, all bool, path string) (*dedup.Index, []byte) {
	t.Helper()
	x, err := dedup.NewIndex(distinct(all))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := judge(t.Context(), t, 2, x, nil, path); err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := x.Save(t.Context(), &file, 1_700_000_000_000); err != nil {
		t.Fatal(err)
	}
	return x, file.Bytes()
}

// distinct are the params of an index that holds documents of equal text once, as a file does.
func distinct(all bool) dedup.IndexParams {
	p := indexParams(setting.GiB, all)
	p.Pairs = false
	return p
}

// TestSavedIndexGoesOn judges articles against an index that was never stored, and against the same from a file.
func TestSavedIndexGoesOn(t *testing.T) {
	path := articles(t, 1500)
	for _, all := range []bool{false, true} {
		kept, file := saved(t, all, path)
		loaded, err := dedup.LoadIndex(t.Context(), bytes.NewReader(file), distinct(all))
		if err != nil {
			t.Fatal(err)
		}
		kept.Begin()
		if loaded.First() != 1500 || loaded.Next() != 1500 || kept.First() != 1500 {
			t.Fatalf("the index has %d documents, of %d; the one in memory %d", loaded.First(), loaded.Next(), kept.First())
		}
		more := articles(t, 2000)
		want, counts, err := judge(t.Context(), t, 2, kept, nil, more)
		if err != nil {
			t.Fatal(err)
		}
		got, _, err := judge(t.Context(), t, 2, loaded, nil, more)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("all=%v: a loaded index comes to other matches, %v", all, err)
		}
		if counts.Duplicate < 1500 {
			t.Errorf("all=%v: %+v of documents three quarters of which are known", all, counts)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	_, file := saved(t, false, articles(t, 200))
	var settings *dedup.SettingsError
	if _, err := dedup.LoadIndex(t.Context(), bytes.NewReader(file), indexParams(setting.GiB, true)); !errors.As(err, &settings) ||
		len(settings.Lines) != 1 {
		t.Errorf("other settings: %v", err)
	}
	var corrupt *snapshot.CorruptError
	if _, err := dedup.LoadIndex(t.Context(), bytes.NewReader(file[:len(file)/2]), indexParams(setting.GiB, false)); !errors.As(err, &corrupt) {
		t.Errorf("half a file: %v", err)
	}
	if _, err := dedup.LoadIndex(t.Context(), strings.NewReader("{}"), indexParams(setting.GiB, false)); !errors.As(err, &corrupt) {
		t.Errorf("no index at all: %v", err)
	}
	var service bytes.Buffer
	m := snapshot.Manifest{Index: "unecho", Position: snapshot.Position{Offset: 7}}
	if err := archive.Write(t.Context(), &service, nil, &m); err != nil {
		t.Fatal(err)
	}
	if _, err := dedup.LoadIndex(t.Context(), &service, indexParams(setting.GiB, false)); !errors.Is(err, dedup.ErrForeign) {
		t.Errorf("the snapshot of a service: %v", err)
	}
	small, err := dedup.LoadIndex(t.Context(), bytes.NewReader(file), indexParams(50*setting.KiB, false))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := judge(t.Context(), t, 1, small, nil, articles(t, 1)); !errors.Is(err, dedup.ErrMemory) {
		t.Errorf("an index larger than the memory: %v", err)
	}
	if small.Stats().Documents >= 200 {
		t.Errorf("%d documents in %s", small.Stats().Documents, index.DefaultParams().Duplicates.Remember.Memory)
	}
}
