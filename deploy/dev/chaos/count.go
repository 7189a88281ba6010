//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/unecho/unecho/consumer/unpack/unpacktest"
)

// count is what a reader finds that knows nothing of the program but its promise: each document comes out once, with
// its timestamp or in rejected with the true one in a header. It reads the batches as they lie in the topics, and not by
// the client that members and the audit have.
type count struct {
	documents, rejected  int // rejected for their timestamps
	lost, doubled, wrong int
	findings             []string
	began                time.Time
	margin               time.Duration     // of clocks: of members, and of brokers that stamp
	times                map[int32][]int64 // of the source: ms since 1970, by partition and offset
	came                 map[int32][]int
	source               string
}

// ok says whether each document came out once and as promised.
func (c *count) ok() bool { return c.lost+c.doubled+c.wrong == 0 }

// String is the count in one line, and the first findings in others.
func (c *count) String() string {
	return strings.Join(append([]string{fmt.Sprintf(
		"%d documents: %d lost, %d doubled, %d wrong; %d in rejected for their timestamps", c.documents, c.lost, c.doubled,
		c.wrong, c.rejected)}, c.findings...), "\n           ")
}

// recount reads the source and its outputs. began is when the run began, or earlier.
func (s *scene) recount(ctx context.Context, began time.Time) (*count, error) {
	c := &count{began: began, margin: max(s.params.skew, s.params.serverSkew) + time.Minute, times: map[int32][]int64{}, came: map[int32][]int{}, source: s.source}
	if err := s.raw(ctx, s.source, c.written); err != nil {
		return nil, err
	}
	unique, duplicate, rejected := s.config.Sink.Topics(s.source)
	for _, output := range []string{unique, duplicate, rejected} {
		if err := s.raw(ctx, output, func(_ int32, r *unpacktest.Raw) error {
			c.forwarded(r, output, output == rejected)
			return nil
		}); err != nil {
			return nil, err
		}
	}
	for p, times := range c.came {
		for offset, n := range times {
			switch {
			case n == 0:
				c.lost++
				c.find("%s/%d/%d is in no output", c.source, p, offset)
			case n > 1:
				c.doubled++
				c.find("%s/%d/%d came out %d times", c.source, p, offset, n)
			}
		}
	}
	return c, nil
}

// raw reads all partitions of a topic.
func (s *scene) raw(ctx context.Context, topic string, take func(int32, *unpacktest.Raw) error) error {
	topics, err := s.world.admin.ListTopics(ctx, topic)
	if err != nil {
		return fmt.Errorf("count %s: %w", topic, err)
	}
	for p := range topics[topic].Partitions {
		all, err := unpacktest.Read(ctx, s.world.client, topic, p)
		for i := range all {
			err = errors.Join(err, take(p, &all[i]))
		}
		if err != nil {
			return fmt.Errorf("count %s/%d: %w", topic, p, err)
		}
	}
	return nil
}

func (c *count) written(p int32, r *unpacktest.Raw) error {
	if r.Offset != int64(len(c.times[p])) {
		return fmt.Errorf("offset %d follows %d", r.Offset, len(c.times[p])-1)
	}
	c.times[p], c.came[p] = append(c.times[p], r.Time), append(c.came[p], 0)
	c.documents++
	return nil
}

// forwarded counts an output record.
func (c *count) forwarded(r *unpacktest.Raw, topic string, rejected bool) {
	said := map[string]string{}
	for _, h := range r.Headers {
		said[h.Key] = string(h.Value)
	}
	var p int32
	var offset int64
	place, _ := strings.CutPrefix(said["unecho-source"], c.source+"/")
	if _, err := fmt.Sscanf(place, "%d/%d", &p, &offset); err != nil || offset < 0 || offset >= int64(len(c.times[p])) {
		c.wrong++
		c.find("%s has at offset %d a document of %q, which nobody wrote", topic, r.Offset, said["unecho-source"])
		return
	}
	c.came[p][offset]++
	was, own := c.times[p][offset], said["unecho-timestamp"]
	right := r.Time == was && own == "" && said["unecho-reason"] != "bad_timestamp"
	if was < earliest || was > latest {
		c.rejected++
		since := time.UnixMilli(r.Time).Sub(c.began)
		right = rejected && said["unecho-reason"] == "bad_timestamp" && own == strconv.FormatInt(was, 10) &&
			since > -c.margin && since < time.Since(c.began)+c.margin
	}
	if !right {
		c.wrong++
		c.find("%s of %d ms stands in %s with %d ms, and of it is told: %v", said["unecho-source"], was, topic, r.Time, said)
	}
}

// find keeps a finding, if there are not many.
func (c *count) find(format string, args ...any) {
	if len(c.findings) < mostAlarms {
		c.findings = append(c.findings, fmt.Sprintf(format, args...))
	}
}
