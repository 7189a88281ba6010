package routing

import (
	"bytes"
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/unpack/unpacktest"
	"github.com/unecho/unecho/index"
)

var settings = []byte(`{"settings":"of the test"}`)

func header() index.Header { return index.Header{Fingerprint: index.Fingerprint(settings)} }

func changing(number uint32, text string) *index.Routing {
	return &index.Routing{Header: header(), Routes: index.Routes{Number: number, Text: []byte(text)}}
}

func checkpoint(offset int64, number uint32, text string) *index.Checkpoint {
	return &index.Checkpoint{
		Header: header(), Offset: offset, Settings: settings,
		Routes: index.Routes{Number: number, Text: []byte(text)},
	}
}

// written makes a journal with these records.
func written(t *testing.T, records ...index.Record) (*Journal, *kgo.Client) {
	t.Helper()
	j, client, _ := inCluster(t, records...)
	return j, client
}

// inCluster is the same, with the cluster.
func inCluster(t *testing.T, records ...index.Record) (*Journal, *kgo.Client, *kfake.Cluster) {
	t.Helper()
	cluster, err := kfake.NewCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "j"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	j := &Journal{Options: []kgo.Opt{kgo.SeedBrokers(cluster.ListenAddrs()...)}, Topic: "j", Group: "us"}
	client, err := kgo.NewClient(append(j.Options, kgo.DefaultProduceTopic("j"))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.Close)
	all := make([]*kgo.Record, len(records))
	for i, rec := range records {
		all[i] = &kgo.Record{Key: []byte("us"), Value: journal.Append(nil, rec)}
	}
	if err := client.ProduceSync(t.Context(), all...).FirstErr(); err != nil {
		t.Fatal(err)
	}
	return j, client, cluster
}

// quiet returns n records that change neither settings nor routing.
func quiet(n int) []index.Record {
	all := make([]index.Record, n)
	for i := range all {
		all[i] = &index.Forget{Header: header()}
	}
	return all
}

func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// A journal that members trim while it is read is read anew.
func TestReadWhileTrimmed(t *testing.T) {
	t.Parallel()
	j, _, cluster := inCluster(t, &index.Settings{Text: settings}, changing(1, "a"))
	out := kfake.Fault{Keys: []kmsg.Key{kmsg.Fetch}, Topic: "j", Err: kerr.OffsetOutOfRange, Count: 1}
	fault := cluster.Fault(out)
	got, err := j.Read(bounded(t))
	if err != nil || string(got.Routes.Text) != "a" || fault.Hits() != 1 {
		t.Errorf("read %q: %v", got.Routes.Text, err)
	}
	cluster.Fault(out)
	if begun, err := j.Begun(bounded(t)); err != nil || string(begun) != string(settings) {
		t.Errorf("begun with %q: %v", begun, err)
	}
}

// Read finds what a replica that has applied the whole journal has in force, however few records it reads.
func TestRead(t *testing.T) {
	t.Parallel()
	begun := func(more ...index.Record) []index.Record {
		return append([]index.Record{&index.Settings{Text: settings}, changing(1, "a")}, more...)
	}
	stranger := changing(2, "stranger")
	stranger.Fingerprint++
	for _, c := range []struct {
		name    string
		records []index.Record
		want    string
	}{
		{"nothing", nil, ""},
		{"settings alone", begun()[:1], ""},
		{"one", begun(), "a"},
		{"two, of which the second lost", begun(changing(2, "b"), changing(2, "c")), "b"},
		{"one of other settings, and one too far", begun(stranger, changing(3, "c")), "a"},
		{"far back, without a checkpoint", begun(quiet(2 * readFirst)...), "a"},
		{"a checkpoint near the end", begun(append(quiet(2*readFirst), checkpoint(2*readFirst, 1, "a"))...), "a"},
		{"one that is about long ago, and a change since", begun(append(append([]index.Record{changing(2, "b")}, quiet(2*readFirst)...), checkpoint(2, 1, "a"))...), "b"},
		{"a change between a state and its checkpoint", begun(append(quiet(2*readFirst), changing(2, "b"), checkpoint(2*readFirst, 1, "a"))...), "b"},
		{"a change that lost long ago", begun(append(append([]index.Record{changing(2, "b")}, quiet(2*readFirst)...), changing(2, "c"), checkpoint(2*readFirst+2, 2, "b"))...), "b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j, _ := written(t, c.records...)
			got, err := j.Read(bounded(t))
			if err != nil {
				t.Fatal(err)
			}
			if string(got.Routes.Text) != c.want || got.End != int64(len(c.records)) {
				t.Errorf("got %d %s, and the end is %d", got.Routes.Number, got.Routes.Text, got.End)
			}
			replica, err := index.NewReplica(index.DefaultParams(), index.Fingerprint(settings))
			if err != nil {
				t.Fatal(err)
			}
			for i, rec := range c.records {
				replica.Apply(index.Stamp{Offset: int64(i)}, rec)
			}
			if now := replica.Routes(); string(now.Text) != c.want || now.Number != got.Routes.Number {
				t.Errorf("a replica has %d %s", now.Number, now.Text)
			}
		})
	}
}

// Records that no member of the group wrote are passed over.
func TestStraysAreNotRead(t *testing.T) {
	t.Parallel()
	j, client := written(t, &index.Settings{Text: settings}, changing(1, "a"))
	err := client.ProduceSync(t.Context(), &kgo.Record{Key: []byte("them"), Value: journal.Append(nil, changing(2, "b"))},
		&kgo.Record{Value: []byte("hello")}, &kgo.Record{}).FirstErr()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := j.Read(bounded(t)); err != nil || string(got.Routes.Text) != "a" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// A change counts if nobody else was faster, even if other records came between.
func TestApply(t *testing.T) {
	t.Parallel()
	j, client := written(t, &index.Settings{Text: settings}, changing(1, "a"))
	seen, err := j.Read(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	p := journal.DefaultParams()
	now, err := j.Apply(bounded(t), p, seen, []byte("b"))
	if err != nil || now.Routes.Number != 2 || string(now.Routes.Text) != "b" {
		t.Errorf("got %+v, %v", now, err)
	}
	if now, err = j.Apply(bounded(t), p, seen, []byte("c")); !errors.Is(err, ErrOvertaken) ||
		string(now.Routes.Text) != "b" {
		t.Errorf("one that was too late: %+v, %v", now, err)
	}
	if err := client.ProduceSync(t.Context(), &kgo.Record{Value: []byte("hello")}).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if now, err = j.Apply(bounded(t), p, now, []byte("c")); err != nil || now.Routes.Number != 3 ||
		string(now.Routes.Text) != "c" {
		t.Errorf("with something between: %+v, %v", now, err)
	}
}

// Both find the settings behind batches that cannot be unpacked, or would unpack to more than memory holds.
func TestReadBehindBombs(t *testing.T) {
	t.Parallel()
	j, client := written(t)
	bomb, err := unpacktest.Zeros(5, 128<<20, kgo.CodecZstd)
	if err != nil {
		t.Fatal(err)
	}
	for _, batch := range [][]byte{bomb, unpacktest.Batch(3, kgo.CodecZstd, bytes.Repeat([]byte{0xa5}, 200))} {
		if _, err := unpacktest.Drop(bounded(t), client, "j", 0, batch); err != nil {
			t.Fatal(err)
		}
	}
	r := &kgo.Record{Key: []byte("us"), Value: journal.Append(nil, &index.Settings{Text: settings})}
	if err := client.ProduceSync(bounded(t), r).FirstErr(); err != nil {
		t.Fatal(err)
	}
	if begun, err := j.Begun(bounded(t)); err != nil || string(begun) != string(settings) {
		t.Errorf("the journal was begun with %s, %v", begun, err)
	}
	if state, err := j.Read(bounded(t)); err != nil || string(state.Settings) != string(settings) || state.End != 9 {
		t.Errorf("in force is %+v, %v", state, err)
	}
}

// A topic that is deleted between two questions ends the reading; it is not waited for.
func TestReadOfADeletedTopic(t *testing.T) {
	t.Parallel()
	j, _ := written(t)
	j.Topic = "deleted"
	if err := j.follow(bounded(t), 0, 5, nil); !errors.Is(err, broker.ErrMissing) {
		t.Errorf("it says %v", err)
	}
}

// What stands before the settings is not kept, and not taken for a change of theirs.
func TestNothingIsKeptBeforeSettings(t *testing.T) {
	t.Parallel()
	r := reading{whole: true}
	if err := r.find(0, changing(1, "large")); err != nil || r.known() || r.state.Routes.Text != nil {
		t.Errorf("a change without settings: %+v, %v", r, err)
	}
	j, _ := written(t, changing(1, "before"), &index.Settings{Text: settings}, changing(1, "after"))
	if state, err := j.Read(bounded(t)); err != nil || string(state.Routes.Text) != "after" {
		t.Errorf("in force is %s, %v", state.Routes.Text, err)
	}
}

// Begun finds the settings of a whole journal at its beginning, also behind strays, and those of a trimmed one by a
// checkpoint.
func TestBegun(t *testing.T) {
	t.Parallel()
	begun := append([]index.Record{&index.Settings{Text: settings}, changing(1, "a")}, quiet(2*readFirst)...)
	for _, c := range []struct {
		name    string
		records []index.Record
		trim    int64
		want    []byte
	}{
		{"nothing", nil, 0, nil},
		{"whole", begun, 0, settings},
		{"behind strays", append(quiet(10), begun...), 0, settings},
		{"behind many strays", append(quiet(2*headRecords), begun...), 0, settings},
		{"trimmed", append(begun, checkpoint(2*readFirst, 1, "a")), readFirst, settings},
		{"trimmed, without a checkpoint", begun, readFirst, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			j, client := written(t, c.records...)
			if c.trim > 0 {
				trim := kadm.Offsets{}
				trim.AddOffset("j", 0, c.trim, -1)
				if _, err := kadm.NewClient(client).DeleteRecords(bounded(t), trim); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := j.Begun(bounded(t)); err != nil || string(got) != string(c.want) {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
	missing, _ := written(t)
	missing.Topic = "none"
	if got, err := missing.Begun(bounded(t)); err != nil || got != nil {
		t.Errorf("of a journal that is not there: %s, %v", got, err)
	}
}
