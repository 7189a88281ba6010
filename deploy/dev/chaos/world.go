//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/consumer/retry"
	"github.com/unecho/unecho/deploy/dev/proxy"
	"github.com/unecho/unecho/deploy/dev/testbed"
)

// brokers is the number of Kafka nodes.
const brokers = 3

// world holds the servers and the members' way to them.
type world struct {
	dir      string
	binary   string
	kafka    *testbed.Kafka
	proxies  []*proxy.Proxy // one before each broker, for the members
	postgres *testbed.Postgres
	bucket   *bucketServer // nil if there is none
	disk     *disk         // of the last broker; nil if it has none of its own
	clocks   *clocks
	options  []kgo.Opt // how we reach the brokers: directly
	client   *kgo.Client
	admin    *kadm.Client
}

// open builds the binary and starts the servers.
func open(ctx context.Context, p params, out io.Writer) (w *world, err error) {
	dir, err := os.MkdirTemp("", "unecho-chaos-")
	if err != nil {
		return nil, err
	}
	w = &world{dir: dir}
	defer func() {
		if err != nil {
			w.close(false)
		}
	}()
	began := time.Now()
	if p.soak > 0 {
		p.skew, p.serverSkew = 0, 0
	}
	if w.clocks, err = newClocks(ctx, p, out); err != nil {
		return w, err
	}
	if w.binary, err = build(ctx, dir, p); err != nil {
		return w, err
	}
	fmt.Fprintf(out, "unecho is built after %.0f s\n", time.Since(began).Seconds())
	if p.brokerDisk {
		if w.disk, err = newDisk(filepath.Join(dir, fmt.Sprintf("kafka-%d", brokers), "data"), brokerDisk); err != nil {
			return w, err
		}
	}
	at := testbed.Files{
		Dir: dir, Cache: p.cache, POM: p.pom,
		Brief: p.length < time.Minute,
	}
	if err := w.start(ctx, at); err != nil {
		return w, err
	}
	if p.s3 != "" {
		if w.bucket, err = newBucketServer(ctx, at, p.s3); err != nil {
			return w, err
		}
	}
	w.options = []kgo.Opt{
		kgo.SeedBrokers(strings.Split(w.kafka.Address, ",")...),
		kgo.MetadataMinAge(100 * time.Millisecond),
	}
	if w.client, err = kgo.NewClient(w.options...); err != nil {
		return w, fmt.Errorf("open client: %w", err)
	}
	w.admin = kadm.NewClient(w.client)
	fmt.Fprintf(out, "%d brokers and PostgreSQL answer after %.0f s\n", brokers, time.Since(began).Seconds())
	return w, nil
}

func (w *world) start(ctx context.Context, at testbed.Files) (err error) {
	if w.kafka, err = testbed.NewKafka(ctx, at, brokers, func(_ int, address string) (string, error) {
		p, err := proxy.New(ctx, address)
		if err != nil {
			return "", err
		}
		w.proxies = append(w.proxies, p)
		return p.Address(), nil
	}); err != nil {
		return err
	}
	if w.postgres, err = testbed.NewPostgres(ctx, at); err != nil {
		return err
	}
	for _, s := range w.servers() {
		if err := w.clocks.begin(ctx, s); err != nil {
			return err
		}
	}
	for _, s := range w.servers() {
		if err := s.Await(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) servers() []*testbed.Server {
	var all []*testbed.Server
	if w.kafka != nil {
		all = append(all, w.kafka.Brokers...)
	}
	if w.postgres != nil {
		all = append(all, w.postgres.Server)
	}
	return all
}

// close stops everything. It removes what the servers and members wrote, unless that is kept as evidence.
func (w *world) close(keep bool) {
	if w.client != nil {
		w.client.Close()
	}
	testbed.StopAll(w.servers()...)
	if w.bucket != nil {
		w.bucket.close()
	}
	for _, p := range w.proxies {
		p.Close()
	}
	if w.disk != nil {
		_ = w.disk.remove() // it is in memory, and what is left of it goes with the machine
	}
	if !keep {
		_ = os.RemoveAll(w.dir) // a leftover in the temporary directory harms nobody
	}
}

// front returns the brokers' addresses for members.
func (w *world) front() string {
	all := make([]string, len(w.proxies))
	for i, p := range w.proxies {
		all[i] = p.Address()
	}
	return strings.Join(all, ", ")
}

// healthy says whether every partition of the topics has all replicas in sync.
func (w *world) healthy(ctx context.Context) bool {
	topics, err := w.admin.ListTopicsWithInternal(ctx)
	if err != nil {
		return false
	}
	for _, t := range topics {
		for _, p := range t.Partitions {
			if t.Err != nil || p.Err != nil || len(p.ISR) < len(p.Replicas) {
				return false
			}
		}
	}
	return len(topics) > 0
}

// loseBroker kills a broker, and starts it again after what is done meanwhile. Until then its proxy refuses
// connections, as the broker itself would.
func (w *world) loseBroker(ctx context.Context, i int, meanwhile func(context.Context) error) error {
	b, before := w.kafka.Brokers[i], w.proxies[i]
	before.Cut()
	b.Kill()
	if err := meanwhile(ctx); err != nil {
		return err
	}
	if err := w.clocks.begin(ctx, b); err != nil {
		return err
	}
	ctx = context.WithoutCancel(ctx) // the broker must be up again at the end of a run, too
	return errors.Join(b.Await(ctx), before.Mend(ctx))
}

// until asks again and again until is returns true. The error says what was waited for.
func until(ctx context.Context, what string, bound time.Duration, is func(context.Context) bool) error {
	ctx, cancel := context.WithTimeoutCause(ctx, bound, fmt.Errorf("not within %v", bound))
	defer cancel()
	for !is(ctx) {
		if err := retry.Pause(ctx, 100*time.Millisecond); err != nil {
			return fmt.Errorf("wait until %s: %w", what, err)
		}
	}
	return nil
}

// create makes a topic of three replicas.
func (w *world) create(ctx context.Context, topic string, partitions int, settings map[string]*string) error {
	if _, err := w.admin.CreateTopic(ctx, int32(partitions), -1, settings, topic); err != nil {
		return fmt.Errorf("create %s: %w", topic, err)
	}
	return until(ctx, "topic "+topic+" is there", time.Minute, func(ctx context.Context) bool {
		topics, err := w.admin.ListTopics(ctx, topic)
		return err == nil && len(topics[topic].Partitions) == partitions
	})
}

// anyTime returns the settings of a topic that takes and keeps documents of any timestamp.
func anyTime() map[string]*string {
	return map[string]*string{
		"message.timestamp.after.max.ms": new(strconv.FormatInt(math.MaxInt64, 10)), "retention.ms": new("-1"),
	}
}

// remove deletes a run's topics.
func (w *world) remove(ctx context.Context, prefix string) error {
	topics, err := w.admin.ListTopics(ctx)
	if err != nil {
		return fmt.Errorf("list topics: %w", err)
	}
	for _, name := range topics.Names() {
		if strings.HasPrefix(name, prefix) {
			_, deleted := w.admin.DeleteTopic(ctx, name)
			err = errors.Join(err, deleted)
		}
	}
	return err
}
