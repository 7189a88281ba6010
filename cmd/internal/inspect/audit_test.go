package inspect

import (
	"strings"
	"testing"

	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/index/snapshot"
)

// TestAuditTooLarge: who has less memory than the twin takes for a snapshot is warned.
func TestAuditTooLarge(t *testing.T) {
	ten := snapshot.Info{Documents: 10_000_000, Bytes: 4_500_000_000}
	for name, c := range map[string]struct {
		snapshot snapshot.Info
		has      setting.Bytes
		want     string // empty: no warning
	}{
		"it is small":    {snapshot.Info{Documents: 500, Bytes: 200_000}, setting.GiB, ""},
		"it fits":        {ten, 64 * setting.GiB, ""},
		"nobody knows":   {ten, 0, ""},
		"a member's pod": {ten, 4 * setting.GiB, "takes some 31.73 GiB of memory, for 10,000,000 documents in the window, and there are 4.00 GiB: "},
		"sorting":        {snapshot.Info{}, 32 * setting.MiB, "for 0 documents in the window"},
	} {
		got := tooLarge(c.snapshot, 64<<20, int64(c.has))
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: the warning is %q, want %q", name, got, c.want)
		}
	}
}
