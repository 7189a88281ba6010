package snapshots

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/snapshot"
)

// fleeting is a store whose snapshots are pruned as soon as they are listed, up to the one at offset 3, which is
// damaged.
type fleeting struct {
	snapshot.Store
	listed int64
}

func (f *fleeting) Manifests(context.Context) ([]snapshot.Info, error) {
	f.listed = min(3, f.listed+1)
	return []snapshot.Info{{Position: snapshot.Position{Offset: f.listed}}}, nil
}

func (f *fleeting) Manifest(_ context.Context, at snapshot.Position) (snapshot.Manifest, error) {
	if at.Offset < 3 {
		return snapshot.Manifest{}, snapshot.ErrNoManifest
	}
	return snapshot.Manifest{}, &snapshot.CorruptError{Name: "manifest", Offset: -1, Err: errors.New("spoilt")}
}

// A snapshot that is pruned while it is looked at is no failure: the one that is there now is looked at.
func TestShelfPrunedMeanwhile(t *testing.T) {
	var out, log strings.Builder
	err := (&Shelf{Store: &fleeting{}, Out: &out, Log: &log}).Verify(t.Context(), "")
	want := "1  gone: it was pruned meanwhile\n2  gone: it was pruned meanwhile\n3  damaged: manifest is corrupt: spoilt\n"
	if !errors.Is(err, errDamaged) || !strings.HasPrefix(out.String(), want) {
		t.Errorf("verify writes %s and ends with %v", out.String(), err)
	}
	out.Reset()
	err = (&Shelf{Store: &fleeting{}, Out: &out, Log: &log}).Verify(t.Context(), "1")
	if err != nil || out.String() != "1  gone: it was pruned meanwhile\n" {
		t.Errorf("verify of one writes %s and ends with %v", out.String(), err)
	}
	_, err = (&Shelf{Store: &fleeting{}, Out: &out, Log: &log}).pick(t.Context(), "7")
	if err == nil || !strings.Contains(err.Error(), "there is no snapshot at offset 7") {
		t.Errorf("pick ends with %v", err)
	}
	err = (&Shelf{Store: &fleeting{}, Out: &out, Log: &log}).Show(t.Context(), "", false)
	if !snapshot.Damaged(err) || !strings.Contains(log.String(), "the snapshot at offset 2 was pruned meanwhile\n") {
		t.Errorf("show says %s and ends with %v", log.String(), err)
	}
}
