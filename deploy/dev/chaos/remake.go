//go:build unix

package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/unpack/unpacktest"
)

// quiet is a second source of the group, of one partition, which is written to only while its output is deleted. What a
// topic held is gone with it, so the audit leaves this source out: each document is read before that.
type quiet struct {
	source string
	mu     sync.Mutex
	sent   int
}

// fewDocuments is how many documents are written to the quiet source before and after a deletion.
const fewDocuments = 20

// remake deletes an output of the quiet source. Documents that are written before and after come out once.
func (s *scene) remake(ctx context.Context) error {
	q := &s.quiet
	q.mu.Lock()
	defer q.mu.Unlock()
	unique, _, _ := s.config.Sink.Topics(q.source)
	if err := s.comeOut(ctx, unique); err != nil {
		return err
	}
	if err := until(ctx, "an output is deleted", commitTimeout, func(ctx context.Context) bool {
		_, _ = s.world.admin.DeleteTopic(ctx, unique) // what comes of it is looked at
		return s.gone(ctx, unique)
	}); err != nil {
		return err
	}
	return s.comeOut(ctx, unique)
}

// gone says whether no broker that answers knows the topic. One that is away learns of a deletion before it works.
func (s *scene) gone(ctx context.Context, topic string) bool {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	answers := 0
	for i := range brokers {
		req := kmsg.NewPtrMetadataRequest()
		asked := kmsg.NewMetadataRequestTopic()
		asked.Topic = &topic
		req.Topics = append(req.Topics, asked)
		resp, err := s.world.client.Broker(i+1).Request(ctx, req)
		if err != nil {
			continue
		}
		for _, t := range resp.(*kmsg.MetadataResponse).Topics {
			if t.ErrorCode != kerr.UnknownTopicOrPartition.Code {
				return false
			}
		}
		answers++
	}
	return answers > 0
}

// comeOut writes documents to the quiet source, and returns when they are in the output. Each must be there once.
func (s *scene) comeOut(ctx context.Context, output string) error {
	var records []*kgo.Record
	for range fewDocuments {
		s.quiet.sent++
		words := rand.New(rand.NewPCG(s.params.seed, uint64(1000+s.quiet.sent)))
		var text []byte
		for range 20 {
			text = fmt.Appendf(text, "q%x ", words.Uint64())
		}
		records = append(records, &kgo.Record{Topic: s.quiet.source, Value: text})
	}
	if err := s.load.client.ProduceSync(ctx, records...).FirstErr(); err != nil {
		return fmt.Errorf("write to the quiet source: %w", err)
	}
	var came map[string]int
	err := until(ctx, "the quiet source's documents are in "+output, commitTimeout, func(ctx context.Context) bool {
		all, err := unpacktest.Read(ctx, s.world.client, output, 0)
		came = map[string]int{}
		for i := range all {
			for _, h := range all[i].Headers {
				if h.Key == "unecho-source" {
					came[string(h.Value)]++
				}
			}
		}
		here := 0
		for _, r := range records {
			here += min(1, came[fmt.Sprintf("%s/%d/%d", r.Topic, r.Partition, r.Offset)])
		}
		return err == nil && here == len(records)
	})
	for source, n := range came {
		if n > 1 {
			s.find("%s came out %d times", source, n)
		}
	}
	return err
}
