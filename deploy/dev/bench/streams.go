package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"github.com/unecho/unecho/consumer/topic"
	"github.com/unecho/unecho/deploy/dev/bench/rivals"
)

// streams is the Kafka Streams application in one of its settings. It removes exact copies.
type streams struct {
	app      *rivals.App
	distinct int // documents of the source that differ
}

func (s streams) run(ctx context.Context, j job, group string) (result, error) {
	dir, err := os.MkdirTemp("", "unecho-bench-")
	if err != nil {
		return result{}, fmt.Errorf("make a directory for the state: %w", err)
	}
	defer os.RemoveAll(dir) // a leftover in the temporary directory harms nobody
	w := rivals.Work{
		Group: group, Source: j.source, Unique: group + ".unique", Duplicate: group + ".duplicate", Directory: dir,
	}
	for _, name := range []string{w.Unique, w.Duplicate} {
		if err := j.cluster.create(ctx, name, j.partitions); err != nil {
			return result{}, err
		}
	}
	r, err := s.measure(ctx, j, w)
	if err == nil {
		err = s.check(ctx, j, w)
	}
	return r, errors.Join(err, j.cluster.removeGroup(ctx, group, w.Unique, w.Duplicate))
}

func (s streams) measure(ctx context.Context, j job, w rivals.Work) (result, error) {
	watch := newStopwatch(j)
	watch.meter.own = s.app.PID()
	var unique, duplicate, commits atomic.Int64
	running, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan struct{})
	var ending error
	go func() {
		defer close(ended)
		ending = s.app.Run(running, w, rivals.Watch{
			Began: watch.start,
			Committed: func(u, d int) {
				duplicate.Store(int64(d))
				unique.Store(int64(u))
				commits.Add(1)
			},
		})
	}()
	done := func() int { return int(unique.Load() + duplicate.Load()) }
	took, cpu, err := watch.wait(ctx, done, j.documents, ended)
	if err = errors.Join(err, s.app.Stop()); err != nil {
		stop()
	}
	<-ended
	r := result{documents: j.documents, took: took, cpu: cpu, commits: uint64(commits.Load())}
	r.duplicates = uint64(duplicate.Load())
	return r, errors.Join(err, ending)
}

// check makes sure that everything is committed, and that the outputs hold each document once in the one or the other
// topic: each content once in the unique one.
func (s streams) check(ctx context.Context, j job, w rivals.Work) error {
	if err := j.checkCommitted(ctx, w.Group); err != nil {
		return err
	}
	unique, contents, err := j.cluster.count(ctx, w.Unique)
	if err != nil {
		return err
	}
	duplicate, _, err := j.cluster.count(ctx, w.Duplicate)
	if err != nil {
		return err
	}
	if unique != s.distinct || contents != s.distinct || unique+duplicate != j.documents {
		return fmt.Errorf("of %d documents, %d of them distinct, %d are in the unique topic, %d of them distinct, and %d in "+
			"the duplicate topic", j.documents, s.distinct, unique, contents, duplicate)
	}
	return nil
}

// distinct counts the documents of a corpus that differ.
func distinct(docs *corpus, n int) int {
	seen := map[[sha256.Size]byte]struct{}{}
	for range n {
		seen[sha256.Sum256(docs.next())] = struct{}{}
	}
	return len(seen)
}

// count reads the committed documents of a topic. It returns how many there are, and how many differ.
func (c *cluster) count(ctx context.Context, name string) (documents, contents int, err error) {
	seen := map[[sha256.Size]byte]struct{}{}
	err = topic.ReadSpan(ctx, c.options, name, topic.Span{}, func(r *topic.Record) error {
		documents++
		seen[sha256.Sum256(r.Value)] = struct{}{}
		return nil
	})
	return documents, len(seen), err
}

// removeGroup removes a group of Kafka Streams with the topics that it has made for itself, and others.
func (c *cluster) removeGroup(ctx context.Context, group string, others ...string) error {
	topics, err := c.admin.ListTopics(context.WithoutCancel(ctx))
	if err != nil {
		return fmt.Errorf("clean up: %w", err)
	}
	for _, name := range topics.Names() {
		if strings.HasPrefix(name, group+"-") {
			others = append(others, name)
		}
	}
	return c.remove(ctx, group, others...)
}
