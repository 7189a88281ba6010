package broker

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A partition without a leader has an error in its place, and hides the others only where all must have one.
func TestOffsets(t *testing.T) {
	ts, c, _ := topics(t)
	make1(t, ts, "news", 2, nil)
	admin := kadm.NewClient(client(t, params(c.ListenAddrs()...)))
	c.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: "news", Partitions: []int32{1},
		Err: kerr.LeaderNotAvailable, Count: -1,
	})
	for name, list := range map[string]Listing{"start": admin.ListStartOffsets, "after": After(admin, time.Unix(0, 0))} {
		got, err := Offsets(deadline(t), list, "news")
		led, _ := got.Lookup("news", 0)
		unled, _ := got.Lookup("news", 1)
		if err != nil || len(got["news"]) != 2 || led.Err != nil || !errors.Is(unled.Err, kerr.LeaderNotAvailable) {
			t.Errorf("%s: Offsets = %+v, error %v; want an offset of partition 0, and of partition 1 that it has no leader", name, got, err)
		}
		if _, err := AllOffsets(deadline(t), list, "news"); !errors.Is(err, kerr.LeaderNotAvailable) ||
			!strings.Contains(err.Error(), "news/1") {
			t.Errorf("%s, all: %v", name, err)
		}
		if _, err := AllOffsets(deadline(t), list, "olds"); !errors.Is(err, kerr.UnknownTopicOrPartition) ||
			!strings.Contains(err.Error(), "olds") {
			t.Errorf("%s, no topic: %v", name, err)
		}
	}
	if got, err := Committed(deadline(t), admin, "nobody"); err != nil || len(got) != 0 {
		t.Errorf("nobody has committed %v, %v", got, err)
	}
}
