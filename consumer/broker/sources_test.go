package broker

import (
	"errors"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// A batch that the source accepts must fit into what is fetched.
func TestSourceOfLargeBatches(t *testing.T) {
	ts, c, log := topics(t)
	make1(t, ts, "news", 1, map[string]string{"max.message.bytes": "5000000"})
	if err := ts.CheckSource(deadline(t), "news", 5_000_000); err != nil {
		t.Error(err)
	}
	err := ts.CheckSource(deadline(t), "news", 4_999_999)
	var wrong *TopicError
	if !errors.As(err, &wrong) || wrong.Topic != "news" || len(wrong.Mistakes) != 1 ||
		!strings.Contains(wrong.Mistakes[0].What, "5000000") ||
		!strings.Contains(wrong.Mistakes[0].Remedy, "advanced.max_document_bytes: 3MiB") {
		t.Errorf("got %v", err)
	}
	c.ControlKey(int16(kmsg.DescribeConfigs), func(req kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		resp := req.ResponseKind().(*kmsg.DescribeConfigsResponse)
		for _, asked := range req.(*kmsg.DescribeConfigsRequest).Resources {
			r := kmsg.NewDescribeConfigsResponseResource()
			r.ResourceType, r.ResourceName, r.ErrorCode = asked.ResourceType, asked.ResourceName,
				kerr.TopicAuthorizationFailed.Code
			resp.Resources = append(resp.Resources, r)
		}
		return resp, nil, true
	})
	if err := ts.CheckSource(deadline(t), "news", 1); err != nil || !strings.Contains(log.String(), "DescribeConfigs") {
		t.Errorf("without the right: %v, log %s", err, log)
	}
}

// What the sources accept is known only where each of them says it.
func TestLargest(t *testing.T) {
	ts, c, _ := topics(t)
	make1(t, ts, "a", 1, map[string]string{"max.message.bytes": "1000000"})
	make1(t, ts, "b", 1, map[string]string{"max.message.bytes": "2000000"})
	for _, of := range []struct {
		names      []string
		most, want int
	}{{[]string{"a"}, 1 << 20, 1000000}, {[]string{"a", "b"}, 1 << 20, 1 << 20}, {[]string{"a", "b"}, 8 << 20, 2000000}} {
		if got, err := ts.Largest(deadline(t), of.names, of.most); got != of.want || err != nil {
			t.Errorf("%v: %d, %v; want %d", of.names, got, err, of.want)
		}
	}
	c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeConfigs}, Err: kerr.TopicAuthorizationFailed, Count: -1})
	if got, err := ts.Largest(deadline(t), []string{"a"}, 1<<20); got != 1<<20 || err != nil {
		t.Errorf("what may not be seen: %d, %v", got, err)
	}
}
