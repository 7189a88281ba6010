package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/retry"
)

// cluster is a broker to measure on.
type cluster struct {
	name         string
	options      []kgo.Opt // how it is reached
	documents    int       // by default, if the flags name no number
	producerTime bool      // the broker stamps no time of its own
	client       *kgo.Client
	admin        *kadm.Client
	meter        meter
	close        func()
}

// kafkaVariable names the real Kafka, as `make bench` starts it.
const kafkaVariable = "UNECHO_TEST_KAFKA"

func openCluster(ctx context.Context, broker string) (*cluster, error) {
	if broker == "kfake" {
		return openFake(ctx)
	}
	address := os.Getenv(kafkaVariable)
	if address == "" {
		return nil, fmt.Errorf("no Kafka: set %s to host:port, or let `make bench` start one", kafkaVariable)
	}
	return connect(ctx, &cluster{name: "Kafka", documents: kafkaDocuments, meter: brokerMeter(), close: func() {}}, address)
}

// openFake starts a broker in this process. It keeps everything in memory and begins a group at once, as Kafka does in
// the tests.
func openFake(ctx context.Context) (*cluster, error) {
	fake, err := kfake.NewCluster(kfake.NumBrokers(1),
		kfake.BrokerConfigs(map[string]string{"group.initial.rebalance.delay.ms": "0"}))
	if err != nil {
		return nil, fmt.Errorf("start kfake: %w", err)
	}
	return connect(ctx, &cluster{name: "kfake", documents: kfakeDocuments, producerTime: true, close: fake.Close},
		fake.ListenAddrs()...)
}

func connect(ctx context.Context, c *cluster, addresses ...string) (*cluster, error) {
	c.options = []kgo.Opt{kgo.SeedBrokers(addresses...), kgo.MetadataMinAge(100 * time.Millisecond)} // as broker.Options
	client, err := kgo.NewClient(append(c.options, kgo.RecordPartitioner(kgo.ManualPartitioner()))...)
	if err != nil {
		c.close()
		return nil, fmt.Errorf("open client: %w", err)
	}
	c.client, c.admin = client, kadm.NewClient(client)
	closeBroker := c.close
	c.close = func() {
		client.Close()
		closeBroker()
	}
	versions, err := c.admin.ApiVersions(ctx)
	if err != nil {
		c.close()
		return nil, fmt.Errorf("ask the broker's version: %w", err)
	}
	if brokers := versions.Sorted(); len(brokers) > 0 && !c.producerTime {
		c.name += " (" + brokers[0].VersionGuess() + ")"
	}
	return c, nil
}

// create returns when the broker tells of the topic: its controller is faster than its metadata.
func (c *cluster) create(ctx context.Context, topic string, partitions int) error {
	if _, err := c.admin.CreateTopic(ctx, int32(partitions), -1, nil, topic); err != nil {
		return fmt.Errorf("create topic %s: %w", topic, err)
	}
	return again(ctx, func() (bool, error) {
		topics, err := c.admin.ListTopics(ctx, topic)
		return err == nil && topics.Has(topic) && len(topics[topic].Partitions.Numbers()) == partitions, err
	})
}

// again asks until it is so. The last error goes with that of ctx.
func again(ctx context.Context, isSo func() (bool, error)) error {
	for {
		so, err := isSo()
		if so {
			return nil
		}
		if over := retry.Pause(ctx, 50*time.Millisecond); over != nil {
			return errors.Join(over, err)
		}
	}
}

// remove deletes everything that a run has made, if it is still there.
func (c *cluster) remove(ctx context.Context, group string, topics ...string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
	defer cancel()
	_, errTopics := c.admin.DeleteTopics(ctx, topics...)
	var errGroup error
	if group != "" {
		_, errGroup = c.admin.DeleteGroup(ctx, group)
	}
	if err := errors.Join(errTopics, errGroup); err != nil {
		return fmt.Errorf("clean up: %w", err)
	}
	return nil
}

// committed returns the sum of the group's committed offsets.
func (c *cluster) committed(ctx context.Context, group, topic string) (int, error) {
	offsets, err := broker.Committed(ctx, c.admin, group)
	if err != nil {
		return 0, err
	}
	sum := 0
	offsets.Each(func(o kadm.OffsetResponse) {
		if o.Topic == topic {
			sum += int(o.At)
		}
	})
	return sum, nil
}

// balanced waits until the group is stable and each of its members has partitions. The first group of a new broker has
// no coordinator for a moment.
func (c *cluster) balanced(ctx context.Context, group string, members int) error {
	return again(ctx, func() (bool, error) {
		described, err := c.admin.DescribeGroups(ctx, group)
		g, at := described[group], 0
		for i := range g.Members {
			if a, ok := g.Members[i].Assigned.AsConsumer(); ok && len(a.Topics) > 0 {
				at++
			}
		}
		return g.State == "Stable" && at == members, err
	})
}

// fill produces n documents in turn to all partitions.
func (c *cluster) fill(ctx context.Context, topic string, partitions, n int, docs *corpus) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for i := range n {
		r := &kgo.Record{Topic: topic, Partition: int32(i % partitions), Value: docs.next()}
		c.client.Produce(ctx, r, func(_ *kgo.Record, err error) {
			if err != nil {
				cancel(err)
			}
		})
	}
	if err := c.client.Flush(ctx); err != nil {
		return fmt.Errorf("fill %s: %w", topic, context.Cause(ctx))
	}
	if ctx.Err() != nil {
		return fmt.Errorf("fill %s: %w", topic, context.Cause(ctx))
	}
	return nil
}
