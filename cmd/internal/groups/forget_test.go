package groups

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/files"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/snapshot"
)

// TestForgetEnded: what was done stays done where the directory cannot be removed.
func TestForgetEnded(t *testing.T) {
	undone := exit.Undone(errors.New("no Kafka"))
	for err, code := range map[error]int{nil: exit.Done, errNotRemembered: exit.Failed, undone: exit.NothingKnown} {
		path := filepath.Join(t.TempDir(), "old")
		directory, opened := files.OpenRun(path, "a test", false)
		if opened != nil {
			t.Fatal("open the directory:", opened)
		}
		if removed := os.Remove(filepath.Join(path, "lock")); removed != nil {
			t.Fatal("remove its lock:", removed)
		}
		var warnings strings.Builder
		got := ended(&warnings, directory, err)
		if said := strings.HasPrefix(warnings.String(), "unecho: --directory: remove old files from "); exit.CodeOf(got) != code || said != (code != exit.NothingKnown) {
			t.Errorf("after %v it ends with %v and says %q, want exit code %d", err, got, warnings.String(), code)
		}
	}
}

// TestForgetFits: what does not fit into memory is refused, with the way out, and so is what has no room in the directory.
func TestForgetFits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "old")
	directory, err := files.OpenRun(path, "a test", false)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := directory.End(false); err != nil {
			t.Error(err)
		}
	}()
	tried := filepath.Join(path, "0-1.block")
	if err := errors.Join(os.WriteFile(tried, nil, 0o600), os.Truncate(tried, int64(setting.GiB))); err != nil {
		t.Fatal(err)
	}
	free, err := directory.Free()
	if err != nil {
		t.Fatal(err)
	}
	large := snapshot.Info{Documents: 80_000_000, Bytes: int64(30 * setting.GiB)}
	for name, c := range map[string]struct {
		snapshot  snapshot.Info
		directory *files.Directory
		has       setting.Bytes
		want      string // empty: it is restored
	}{
		"it is small":                 {snapshot.Info{Documents: 8000, Bytes: int64(3 * setting.MiB)}, nil, 4 * setting.GiB, ""},
		"it is too large":             {large, nil, 32 * setting.GiB, " GiB of memory, and there are 32.00 GiB: add --directory DIR to keep old documents in files, or "},
		"it fits":                     {large, nil, 64 * setting.GiB, ""},
		"nobody knows":                {large, nil, 0, ""},
		"old ones lie in files":       {snapshot.Info{Documents: 8000, Bytes: int64(3 * setting.MiB)}, directory, setting.MiB, ""},
		"there is no room":            {snapshot.Info{Documents: 8, Bytes: 1 << 60}, directory, 0, "--directory: old documents take 1073741824.00 GiB and more, and "},
		"a snapshot was tried before": {snapshot.Info{Documents: 8, Bytes: free + int64(setting.GiB)/2}, directory, 0, ""},
		"its manifest cannot be read": {snapshot.Info{}, nil, setting.MiB, ""},
		"memory has as much as files": {large, nil, 30 * setting.GiB, "what the group remembers takes "},
	} {
		err := fits(index.DefaultParams(), c.snapshot, c.directory, int64(c.has))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
