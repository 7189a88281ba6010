package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/cmd/internal/exit"
)

// Two processes read a topic whose documents have no such field: both end as after a mistake in the configuration, and
// nothing is committed or forwarded. What is then allowed goes on where the topic begins, and what is committed is never
// looked at again.
func TestSourceReadWrongly(t *testing.T) {
	t.Parallel()
	const partitions = 4
	s := newScene(t, partitions)
	s.configure(s.inDirectory(), s.consumer(""), noOps, "sources: [{topics: ["+s.source+"], format: json, text: [title]}]")
	var records []*kgo.Record
	for i := range 3000 {
		records = append(records, &kgo.Record{Partition: int32(i % partitions), Value: fmt.Appendf(nil, `{"text": "the text %d"}`, i)})
	}
	s.send(records...)
	for _, p := range []*process{s.run(), s.run()} {
		if code := p.exits(patience); code != exit.BadUsage {
			t.Errorf("exit code %d, want that of a mistake in the configuration", code)
		}
		for _, want := range []string{"the first documents of " + s.source + " are all rejected, for missing_field", "--accept-rejected " + s.source} {
			if !strings.Contains(p.log.String(), want) {
				t.Errorf("it does not say %q", want)
			}
		}
	}
	if sum, by := s.committed(s.bounded()); sum != 0 {
		t.Errorf("%v is committed", by)
	}
	ends, err := s.admin.ListEndOffsets(s.bounded(), s.source+".rejected")
	check(t, err)
	for p, end := range ends[s.source+".rejected"] {
		if end.Err != nil || end.Offset != 0 {
			t.Errorf("rejected/%d ends at %d (%v)", p, end.Offset, end.Err)
		}
	}
	allowed := s.run("--accept-rejected", s.source)
	s.settled()
	stopAll(t, startBound, allowed)
	one, two := s.run(), s.run()
	s.members(4, partitions)
	s.send(records...)
	s.settled()
	stopAll(t, startBound, one, two)
}
