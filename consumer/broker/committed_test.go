package broker

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The ends are those behind the open transaction, once it is committed and each partition has a leader.
func TestSettledOffsets(t *testing.T) {
	ts, c, _ := topics(t)
	make1(t, ts, "news", 2, nil)
	admin := kadm.NewClient(client(t, params(c.ListenAddrs()...)))
	writer, err := kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.TransactionalID("writer"),
		kgo.DefaultProduceTopic("news"))
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if err := writer.BeginTransaction(); err != nil {
		t.Fatal(err)
	}
	if err := writer.ProduceSync(deadline(t), kgo.StringRecord("a")).FirstErr(); err != nil {
		t.Fatal(err)
	}
	soon, cancel := context.WithTimeout(t.Context(), 10*committedPoll)
	defer cancel()
	if got, err := AwaitCommitted(soon, admin, "news"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a transaction is open: %v, %v", got, err)
	}
	c.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: "news", Partitions: []int32{1},
		Err: kerr.LeaderNotAvailable, Count: 3,
	})
	ended := make(chan error, 1)
	time.AfterFunc(2*committedPoll, func() {
		ended <- writer.EndTransaction(context.WithoutCancel(t.Context()), kgo.TryCommit)
	})
	got, err := AwaitCommitted(deadline(t), admin, "news")
	if err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	a, _ := got.Lookup("news", 0)
	b, _ := got.Lookup("news", 1)
	if a.Offset+b.Offset != 2 { // the record, and the mark of the commit
		t.Errorf("SettledOffsets = %v; want a sum of 2: the record, and the mark of the commit", got)
	}
	c.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.ListOffsets}, Topic: "news", Partitions: []int32{1},
		Err: kerr.TopicAuthorizationFailed, Count: -1,
	})
	if _, err := AwaitCommitted(deadline(t), admin, "news"); !errors.Is(err, kerr.TopicAuthorizationFailed) {
		t.Errorf("no right to read: %v", err)
	}
}

// What stood there at first is waited for, and what begins meanwhile is not.
func TestSettled(t *testing.T) {
	ts, c, _ := topics(t)
	make1(t, ts, "news", 2, nil)
	admin := kadm.NewClient(client(t, params(c.ListenAddrs()...)))
	var writers [2]*kgo.Client
	write := func(i int) {
		t.Helper()
		var err error
		writers[i], err = kgo.NewClient(kgo.SeedBrokers(c.ListenAddrs()...), kgo.TransactionalID(fmt.Sprint("writer", i)),
			kgo.DefaultProduceTopic("news"), kgo.RecordPartitioner(kgo.ManualPartitioner()))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(writers[i].Close)
		if err := writers[i].BeginTransaction(); err != nil {
			t.Fatal(err)
		}
		record := &kgo.Record{Partition: int32(i)}
		if err := writers[i].ProduceSync(deadline(t), record).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	write(0)
	asked, ended := make(chan struct{}, 1), make(chan error, 1)
	c.ControlKey(int16(kmsg.ListOffsets), func(kmsg.Request) (kmsg.Response, error, bool) {
		c.KeepControl()
		select {
		case asked <- struct{}{}:
		default:
		}
		return nil, nil, false
	})
	go func() {
		_, err := AwaitCommitted(deadline(t), admin, "news")
		ended <- err
	}()
	<-asked // the ends, and then what is committed: so that the ends are known
	for range 2 {
		<-asked
	}
	write(1)
	select {
	case err := <-ended:
		t.Fatalf("a transaction is open: %v", err)
	default:
	}
	if err := writers[0].EndTransaction(t.Context(), kgo.TryCommit); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("another transaction has begun meanwhile: %v", err)
	}
}
