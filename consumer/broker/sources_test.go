package broker

import (
	"errors"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"
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
