package backfill

import (
	"context"
	"errors"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A removal ends when no broker knows the deleted topics any more, and then the same job can begin anew.
func TestRemoveWaits(t *testing.T) {
	c, opts := newCluster(t)
	client, err := kgo.NewClient(opts...)
	check(t, err)
	t.Cleanup(client.Close)
	admin := kadm.NewClient(client)
	_, err = admin.CreateTopic(t.Context(), 1, 1, nil, JournalOf("repair"))
	check(t, err)
	behind := 3 // so many times the broker says that the topic is there
	c.ControlKey(int16(kmsg.Metadata), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		asked := req.(*kmsg.MetadataRequest)
		if behind == 0 || len(asked.Topics) == 0 || *asked.Topics[0].Topic != JournalOf("repair") {
			return nil, nil, false
		}
		behind--
		resp := req.ResponseKind().(*kmsg.MetadataResponse)
		resp.Topics = []kmsg.MetadataResponseTopic{{Topic: asked.Topics[0].Topic}}
		return resp, nil, true
	})
	snapshots := false
	done, err := Remove(t.Context(), opts, "repair", func(context.Context) error {
		snapshots = true
		return nil
	}, func([]string) {})
	check(t, err)
	if behind > 0 || !snapshots || len(done.Topics) != 1 || done.Group {
		t.Errorf("removed is %+v, snapshots %v; the broker is asked %d times too few", done, snapshots, behind)
	}
	if _, err := admin.CreateTopic(t.Context(), 1, 1, nil, JournalOf("repair")); err != nil {
		t.Errorf("begun anew: %v", err)
	}
}

// Who waits for a broker that is behind can end the waiting, and is told.
func TestRemoveWaitsNoLonger(t *testing.T) {
	c, opts := newCluster(t)
	c.ControlKey(int16(kmsg.Metadata), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		asked := req.(*kmsg.MetadataRequest)
		if len(asked.Topics) == 0 {
			return nil, nil, false
		}
		resp := req.ResponseKind().(*kmsg.MetadataResponse)
		resp.Topics = []kmsg.MetadataResponseTopic{{Topic: asked.Topics[0].Topic}}
		return resp, nil, true
	})
	ctx, stop := context.WithCancel(t.Context())
	var told []string
	_, err := Remove(ctx, opts, "repair", func(context.Context) error { return errors.New("too early") },
		func(topics []string) {
			told = topics
			stop()
		})
	if !errors.Is(err, context.Canceled) || len(told) != 1 || told[0] != JournalOf("repair") {
		t.Errorf("told %v, ends with %v", told, err)
	}
}
