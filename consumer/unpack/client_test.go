package unpack

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	sasl "github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/unecho/unecho/consumer/unpack/unpacktest"
)

// Clients read the same with and without an Unpacker, over every kind of connection, and hold no more than they may.
func TestClientsReadTheSame(t *testing.T) {
	server := httptest.NewTLSServer(nil) // for its certificate
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	encrypted := kgo.DialTLSConfig(&tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12})
	login := kgo.SASL(sasl.Auth{User: "me", Pass: "secret"}.AsMechanism())
	listens := kfake.TLS(&tls.Config{Certificates: server.TLS.Certificates, MinVersion: tls.VersionTLS12})
	for name, c := range map[string]struct {
		broker []kfake.Opt
		client []kgo.Opt
	}{
		"bare":  {},
		"TLS":   {[]kfake.Opt{listens}, []kgo.Opt{encrypted}},
		"login": {[]kfake.Opt{kfake.EnableSASL(), kfake.Superuser("PLAIN", "me", "secret")}, []kgo.Opt{login}},
		"TLS and login": {
			[]kfake.Opt{listens, kfake.EnableSASL(), kfake.Superuser("PLAIN", "me", "secret")},
			[]kgo.Opt{encrypted, login},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster, err := kfake.NewCluster(append(c.broker, kfake.NumBrokers(1))...)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(cluster.Close)
			readTheSame(t, append(c.client, kgo.SeedBrokers(cluster.ListenAddrs()...)))
		})
	}
}

// TestClientsReadTheSameKafka is the same test on real Kafka.
func TestClientsReadTheSameKafka(t *testing.T) {
	brokers := os.Getenv("UNECHO_TEST_KAFKA")
	if brokers == "" {
		t.Skip("needs Kafka: set UNECHO_TEST_KAFKA to host:port, or run make test")
	}
	readTheSame(t, []kgo.Opt{kgo.SeedBrokers(strings.Split(brokers, ",")...)})
}

func readTheSame(t *testing.T, reach []kgo.Opt) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	like, err := kgo.NewClient(append(reach, kgo.MetadataMinAge(50*time.Millisecond))...)
	if err != nil {
		t.Fatal(err)
	}
	defer like.Close()
	admin, topic := kadm.NewClient(like), fmt.Sprintf("unpack-%d", time.Now().UnixNano())
	if _, err := admin.CreateTopic(ctx, 2, 1, nil, topic); err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = admin.DeleteTopics(context.WithoutCancel(ctx), topic) }()
	total := 0
	for i := range 20 {
		for partition := range int32(2) {
			n, codec := 2000, kgo.CodecNone
			if i%5 == 4 {
				n, codec = 3, kgo.CodecGzip
			}
			if _, err := unpacktest.Drop(ctx, like, topic, partition, zeros(t, n, i, codec)); err != nil {
				t.Fatal(err)
			}
			total += n
		}
	}
	u := New(Limits{Batch: 1 << 20, Held: 2 << 20})
	with := all(ctx, t, like, u, topic, total, u.Options(like)...)
	without := all(ctx, t, like, nil, topic, total)
	for i, w := range without {
		r := with[i]
		if r.Partition != w.Partition || r.Offset != w.Offset || !bytes.Equal(r.Value, w.Value) ||
			!r.Timestamp.Equal(w.Timestamp) {
			t.Fatalf("record %d is %+v, and %+v without", i, r, w)
		}
		came := kgo.CompressionCodecType(r.Attrs.CompressionType())
		if was := kgo.CompressionCodecType(w.Attrs.CompressionType()); came == kgo.CodecNone ||
			was != kgo.CodecNone && was != came {
			t.Fatalf("record %d comes with codec %d, and has %d", i, came, was)
		}
	}
}

// all reads total records of both partitions, first one partition and then the other.
func all(ctx context.Context, t *testing.T, like *kgo.Client, u *Unpacker, topic string, total int,
	more ...kgo.Opt,
) []*kgo.Record {
	t.Helper()
	client, err := kgo.NewClient(append(append(like.Opts()[:len(like.Opts()):len(like.Opts())], more...),
		kgo.ConsumeTopics(topic))...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var of [2][]*kgo.Record
	most := 0
	for n := 0; n < total; {
		fetches := client.PollRecords(ctx, 1000)
		if ctx.Err() != nil {
			t.Fatalf("%d records of %d came", n, total)
		}
		fetches.EachError(func(_ string, _ int32, err error) {
			if !errors.Is(err, ErrLater) {
				t.Fatal(err)
			}
		})
		fetches.EachRecord(func(r *kgo.Record) {
			if next := int64(len(of[r.Partition])); r.Offset != next {
				t.Fatalf("offset %d comes in the place of %d", r.Offset, next)
			}
			own := *r
			own.Value = bytes.Clone(r.Value)
			of[r.Partition] = append(of[r.Partition], &own)
			n++
		})
		if u != nil {
			most = max(most, u.Held())
			u.Polled(fetches)
			u.Done(fetches)
			if most > u.bounds.Held {
				t.Fatalf("%d bytes are held of %d", most, u.bounds.Held)
			}
		}
	}
	if u != nil && (u.Held() != 0 || most == 0) {
		t.Errorf("%d bytes are held of nothing, and %d were at most", u.Held(), most)
	}
	return append(of[0], of[1]...)
}

// A client drops what it has fetched of a partition that is paused, says that it was polled, and fetches it again.
// However often that is so, nothing counts as held in the end, and all of the partition comes.
func TestPausedPartitionsTakeNoRoom(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]int{"all at once": 0, "some at a time": 10} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tryPaused(t, most)
		})
	}
}

func tryPaused(t *testing.T, most int) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	const batches, records = 4, 100
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "t"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	like, err := kgo.NewClient(kgo.SeedBrokers(cluster.ListenAddrs()...))
	if err != nil {
		t.Fatal(err)
	}
	defer like.Close()
	for i := range batches {
		if _, err := unpacktest.Drop(ctx, like, "t", 0, zeros(t, records, 2000+i, kgo.CodecZstd)); err != nil {
			t.Fatal(err)
		}
	}
	// room for all of the partition, and a little more
	u, came := New(Limits{Batch: 1 << 20, Held: 1 << 20}), make(fetched, 1)
	client, err := kgo.NewClient(append(append(like.Opts(), u.Options(like)...), kgo.WithHooks(came),
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{"t": {0: kgo.NewOffset().AtStart()}}))...)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	all := map[string][]int32{"t": {0}}
	poll := func() int { return pollInto(ctx, t, client, u, most) }
	for range 5 {
		select {
		case <-came:
		case <-ctx.Done():
			t.Fatalf("nothing is fetched any more, and %d bytes are held", u.Held())
		}
		client.PauseFetchPartitions(all)
		for again := true; again; again = client.BufferedFetchRecords() > 0 {
			if n := poll(); n > 0 {
				t.Fatalf("%d records of a paused partition came", n)
			}
		}
		client.ResumeFetchPartitions(all)
	}
	for n := 0; n < batches*records; n += poll() {
		if ctx.Err() != nil {
			t.Fatalf("%d records came, and %d bytes are held", n, u.Held())
		}
	}
	if u.Held() > 0 {
		t.Errorf("%d bytes are held of nothing", u.Held())
	}
}

// pollInto polls once, gives back what came, and returns how many records these were.
func pollInto(ctx context.Context, t *testing.T, client *kgo.Client, u *Unpacker, most int) int {
	t.Helper()
	wait, stop := context.WithTimeout(ctx, 20*time.Millisecond)
	defer stop()
	fetches := client.PollRecords(wait, most)
	u.Polled(fetches)
	fetches.EachError(func(_ string, _ int32, err error) {
		if !errors.Is(err, ErrLater) && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
	})
	u.Done(fetches)
	return fetches.NumRecords()
}

// fetched tells that a client has fetched records.
type fetched chan struct{}

// OnFetchRecordBuffered implements kgo.HookFetchRecordBuffered.
func (f fetched) OnFetchRecordBuffered(*kgo.Record) {
	select {
	case f <- struct{}{}:
	default:
	}
}
