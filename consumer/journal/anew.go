package journal

import (
	"context"

	"github.com/twmb/franz-go/pkg/kadm"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/protocol"
)

// BeginAnew is the remedy for settings that do not fit, where the group has committed no document: it says how to begin
// another journal, for which no loss has to be accepted. It is empty where something was committed, or where nobody knows.
func BeginAnew(ctx context.Context, admin *kadm.Client, group, topic string) string {
	committed, err := broker.Committed(ctx, admin, group)
	if err != nil {
		return ""
	}
	for _, o := range committed.Sorted() {
		if c := protocol.NewCommitted(o.At, o.Metadata); c.Offset >= 0 && !c.Unused() {
			return ""
		}
	}
	return "use those settings; nothing was committed in group " + group + " yet: to begin anew, stop all members, delete topic " + topic + ", and start again"
}
