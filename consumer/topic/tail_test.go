package topic_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/topic"
)

// TestTail: the past is bounded by time and by count, and what comes later follows it without a gap.
func TestTail(t *testing.T) {
	t.Parallel()
	opts := news(t)
	values := func(past topic.Past) (got []string) {
		t.Helper()
		if err := topic.Tail(t.Context(), opts, past, false, func(r *topic.Record) error {
			got = append(got, string(r.Value))
			return nil
		}, "news"); err != nil {
			t.Fatal(err)
		}
		return got
	}
	all := values(topic.Past{Last: -1})
	if slices.Sort(all); fmt.Sprint(all) != "[0-0 0-1 0-2 0-3 0-4 0-5 0-6 0-7 1-0 1-1]" {
		t.Errorf("all is %v", all)
	}
	for want, past := range map[string]topic.Past{
		"[0-5 0-6 0-7]": {Last: 3},
		"[0-6 0-7]":     {Last: 3, From: began().Add(6 * time.Minute)},
		"[0-7]":         {Last: -1, From: began().Add(7 * time.Minute)},
		"[]":            {},
	} {
		if got := values(past); fmt.Sprint(got) != want {
			t.Errorf("%+v brings %v, want %s", past, got, want)
		}
	}
	if got := values(topic.Past{Last: 100}); len(got) != 10 || got[8] != "0-6" || got[9] != "0-7" {
		t.Errorf("more than there are: %v", got)
	}

	ctx, cancel := context.WithCancel(t.Context())
	client, err := kgo.NewClient(append(slices.Clone(opts), kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var got []string
	err = topic.Tail(ctx, opts, topic.Past{Last: 1}, true, func(r *topic.Record) error {
		if got = append(got, string(r.Value)); len(got) == 1 {
			write(t, client, 1, 20, 21)
		} else {
			cancel()
		}
		return nil
	}, "news")
	if err != nil || fmt.Sprint(got) != "[0-7 1-20]" {
		t.Errorf("followed: %v, %v", got, err)
	}
	stop := errors.New("enough")
	if err := topic.Tail(t.Context(), opts, topic.Past{Last: -1}, true, func(*topic.Record) error { return stop },
		"news"); !errors.Is(err, stop) {
		t.Errorf("an error of fn: %v", err)
	}
}
