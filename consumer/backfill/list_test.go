package backfill

import (
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A group that no backfill can have does not hide the backfills. Its name may be any text.
func TestListWithForeignGroups(t *testing.T) {
	opts := world(t)
	client, err := kgo.NewClient(opts...)
	check(t, err)
	t.Cleanup(client.Close)
	admin := kadm.NewClient(client)
	for _, group := range []string{GroupOf("repair"), GroupOf("\x1b[2J/red"), GroupOf(""), GroupOf(strings.Repeat("x", 230)), "other"} {
		var at kadm.Offsets
		at.AddOffset("news", 0, 3, -1)
		check(t, admin.CommitAllOffsets(t.Context(), group, at))
	}
	listed, err := List(t.Context(), opts)
	check(t, err)
	if len(listed) != 1 || listed[0].Name != "repair" {
		t.Errorf("listed are %+v", listed)
	}
}
