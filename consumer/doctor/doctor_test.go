package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl/plain"

	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/certificate"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
	"github.com/unecho/unecho/sink"
)

// Nothing is wrong, although nobody is at work.
func TestWell(t *testing.T) {
	w := newWard(t)
	w.well()
	report := w.run()
	if got := lines(report); !report.Healthy || report.Notes != 1 ||
		!strings.Contains(got, "note group: group unecho has no members") {
		t.Errorf("got\n%s", got)
	}
	seen := map[string]bool{}
	for _, f := range report.Findings {
		seen[f.Check] = true
	}
	for _, c := range checks() {
		if !seen[c.name] {
			t.Errorf("%s says nothing:\n%s", c.name, lines(report))
		}
	}
}

// Each fault is found and reported as what it is.
func TestFindings(t *testing.T) {
	findings(t, []finding{
		{"no source", func(w *ward) { w.remove("news") }, `^problem topics: source news does not exist \| .* \| correct the name`},
		{"no journal, but offsets", func(w *ward) { w.remove("unecho.journal") }, `^problem group: offsets are committed, and there is no journal unecho.journal `},
		{"no journal, and nobody to create it", func(w *ward) { w.remove("unecho.journal"); w.in.Sink.Create.Enabled = false }, `^problem topics: journal unecho.journal does not exist \| .* kafka-topics.sh .*--create --topic unecho.journal`},
		{"an output that will be created", func(w *ward) { w.remove("news.rejected") }, `^note topics: output news.rejected does not exist .* outputs.create.enabled is set`},
		{"batches of the source larger than a session has memory for", func(w *ward) { w.alter("news", "max.message.bytes", "16777217") }, `^problem topics: topic news: max.message.bytes is 16777217, more than the 16MiB that a session fetches at a time .*advanced.max_document_bytes: 9MiB`},
		{"retention of the journal", func(w *ward) { w.alter("unecho.journal", "retention.ms", "1000") }, `^problem topics: topic unecho.journal: retention.ms is 1000, and must be -1 \| .* \| kafka-configs.sh`},
		{"outputs that take less", func(w *ward) { w.alter("news.unique", "max.message.bytes", "1000") }, `^problem topics: topic news.unique: max.message.bytes is 1000, and must be at least`},
		{"an output that would be created too small", func(w *ward) {
			w.remove("news.unique")
			w.in.Sink.Create.Config = map[string]string{"max.message.bytes": "100000"}
		}, `^problem topics: topic news.unique: outputs.create.config would give it max.message.bytes 100000, and it must be at least 1048576 \| .* \| write 1048576 there`},
		{"verdicts that will be told", func(w *ward) { w.in.Sink.Verdicts.Topic = "{source}.verdicts" }, `^note topics: output news.verdicts does not exist .* outputs.create.enabled is set`},
		{"verdicts in a topic that takes less", func(w *ward) {
			w.in.Sink.Verdicts.Topic = "tales"
			_, err := w.admin.CreateTopic(w.t.Context(), 2, 3, map[string]*string{"max.message.bytes": text("1000")}, "tales")
			w.must(err)
		}, `^problem topics: topic tales: max.message.bytes is 1000, and must be at least 8192 \| a record of verdicts`},
		{"clusters in a topic that deletes as well", func(w *ward) {
			w.in.Sink.Clusters.Topic = "groups"
			_, err := w.admin.CreateTopic(w.t.Context(), 2, 3, map[string]*string{"cleanup.policy": text("compact,delete")}, "groups")
			w.must(err)
		}, `^problem topics: topic groups: cleanup.policy is compact,delete, and must be compact \| .*delete them by age .*\| kafka-configs.sh .* cleanup.policy=compact`},
		{"clusters in a topic that takes less", func(w *ward) {
			w.in.Sink.Clusters.Topic = "groups"
			_, err := w.admin.CreateTopic(w.t.Context(), 2, 3, map[string]*string{"cleanup.policy": text("compact"), "max.message.bytes": text("1000")}, "groups")
			w.must(err)
		}, `^problem topics: topic groups: max.message.bytes is 1000, and must be at least 8192 \| a record of clusters`},
		{
			"an output that members widen", func(w *ward) { w.in.Sink.Create.Enabled = true; w.widen("news", 4) },
			`^note topics: output news.unique has 2 partitions, and news has 4 \| .* \| nothing: members add partitions`,
		},
		{
			"an output that nobody may widen", func(w *ward) { w.in.Sink.Create.Enabled = false; w.widen("news", 4) },
			`^problem topics: topic news.unique: it has 2 partitions, and must have at least 4`,
		},
		{"journal with more partitions", func(w *ward) {
			w.widen("unecho.journal", 3)
			w.depose("unecho.journal", 2)
		}, `^note topics: journal unecho.journal has 3 partitions \| only partition 0 is used`},
		{"journal that takes less", func(w *ward) { w.alter("unecho.journal", "max.message.bytes", "1000") }, `^problem topics: topic unecho.journal: max.message.bytes is 1000`},
		{"unclean elections", func(w *ward) { w.alter("news", "unclean.leader.election.enable", "true") }, `^note topics: topic news: unclean.leader.election.enable is true \|`},
		{"the journal begins after the snapshot", func(w *ward) { w.append(&index.Forget{Header: w.header()}); w.trim("unecho.journal", 0, 4) }, `^problem snapshots: the newest snapshot is at 3, and the journal begins at 4 .* --accept-journal-gap unecho.journal@4:[\w-]{22}$`},
		{"other settings", func(w *ward) { w.in.Settings = []byte(`{"test":"others"}`) }, `^problem settings: they differ .*: test: others here, settings in the journal \|`},
		{"other settings, no snapshot", func(w *ward) {
			w.stored.Path, w.in.Settings = w.t.TempDir(), []byte(`{"test":"others"}`)
		}, `^problem settings: they differ .*: test: others here, settings in the journal \|`},
		{"an appender's clock far behind", func(w *ward) {
			w.append(&index.Forget{Header: index.Header{Wall: time.Now().Add(-time.Hour).UnixMilli()}})
		}, `^problem clocks: the clock of the journal's broker is 1h0m\S* ahead of that of the member which appended last \| that is beyond 5m0s`},
		{"an appender's clock somewhat ahead", func(w *ward) {
			w.append(&index.Forget{Header: index.Header{Wall: time.Now().Add(time.Minute).UnixMilli()}})
		}, `^note clocks: the clock of the journal's broker is -(\d\d\.|1m0)\S* ahead`},
		{"a clock of the broker that is ahead", func(w *ward) { w.later(-time.Hour) }, `^problem clocks: the clock of the journal's broker is (1h0m|59m)\S* ahead of this machine's`},
		{"a transaction of ours", func(w *ward) { w.open("unecho/unecho-0-s0"); w.later(time.Minute + 40*time.Second) }, `^problem transactions: unecho/unecho-0-s0: its transaction is open for 1m\S+ by this machine's clock, and times out after 1m`},
		{"a transaction that a coordinator forgot to end", func(w *ward) { w.open("someone"); w.later(20 * time.Minute) }, `^problem transactions: someone: its transaction is open for 20m\S+ by this machine's clock, and times out after 1m`},
	})
}

// A kind of store that may lack something is tried, also before the first snapshot.
func TestFindingsOfStores(t *testing.T) {
	findings(t, []finding{
		{"no snapshots", func(w *ward) { w.stored.Path = w.t.TempDir() }, `^note snapshots: there is no snapshot yet`},
		{"no snapshots, and a trimmed journal", func(w *ward) { w.stored.Path = w.t.TempDir(); w.trim("unecho.journal", 0, 2) }, `^problem snapshots: journal unecho.journal begins at 2, and no usable snapshot.* --accept-journal-gap unecho.journal@2:[\w-]{22}$`},
		{"an old snapshot", func(w *ward) {
			w.append(&index.Forget{Header: w.header()})
			w.append(&index.Forget{Header: w.header()})
			w.later(time.Hour)
		}, `^note snapshots: the newest snapshot is 1h0m\ds old, 2 records of the journal follow it`},
		{"a damaged snapshot", func(w *ward) { w.damage() }, `^problem snapshots: .*corrupt.* \| a start skips it`},
		{"a store of its own", func(w *ward) { w.in.Snapshot.For = snapshot.ByMember }, `^note snapshots: the store is not shared .* grows for ever`},
		{"a store that lacks something, before the first snapshot", func(w *ward) {
			w.stored.Path = w.t.TempDir()
			w.in.Probe = func(context.Context) (string, error) { return "", errors.New("try the store: it lacks conditions") }
		}, `^problem snapshots: try the store: it lacks conditions \| no member starts with this store`},
		{"a store that does too much", func(w *ward) {
			w.in.Probe = func(context.Context) (string, error) { return "the bucket keeps versions", nil }
		}, `^note snapshots: the bucket keeps versions \|`},
	})
}

// Who has written the newest unique documents, and where verdicts lie.
func TestFindingsOfOutputs(t *testing.T) {
	findings(t, []finding{
		{
			"a group that was renamed", func(w *ward) { w.produce(by("unecho"), by("old")) },
			`^note outputs: topic news.unique: some of its newest documents are of group old \| two groups .* \| write the other name as group`,
		},
		{"verdicts on one broker", func(w *ward) {
			w.in.Sink.Verdicts.Topic = "tales"
			_, err := w.admin.CreateTopic(w.t.Context(), 2, 1, nil, "tales")
			w.must(err)
		}, `^note topics: topic tales: 1 replica \| .* \| have 3 brokers hold it`},
		{"one in sync", func(w *ward) { w.alter("news.unique", "min.insync.replicas", "1") }, `^note topics: topic news.unique: min.insync.replicas is 1 \|`},
		{"a compacted output", func(w *ward) { w.alter("news.unique", "cleanup.policy", "compact") }, `^note topics: topic news.unique: cleanup.policy is compact \|`},
		{"an output with other times", func(w *ward) { w.alter("news.unique", "message.timestamp.type", "LogAppendTime") }, `^note topics: .*LogAppendTime`},
		{"a group that succeeds another", func(w *ward) { w.produce(by("old")); w.in.Params.Succeeds = "old" }, `^ok outputs: `},
	})
}

// When the certificate of http.listen is valid.
func TestFindingsOfCertificates(t *testing.T) {
	const hour = time.Hour
	findings(t, []finding{
		{
			"a certificate that has expired", func(w *ward) { w.in.Certificates[0].Life = valid(-9*hour, -hour) },
			`^problem certificate: the certificate of http.listen has expired, .* \| probes, Prometheus .* \| renew it`,
		},
		{
			"a certificate that is not valid yet", func(w *ward) { w.in.Certificates[0].Life = valid(hour, 9*hour) },
			`^problem certificate: the certificate of http.listen is not valid before`,
		},
		{
			"a certificate that soon expires", func(w *ward) { w.in.Certificates[0].Life = valid(-99*hour, hour) },
			`^note certificate: the certificate of http.listen expires on`,
		},
		{"a certificate that cannot be read", func(w *ward) {
			w.in.Certificates[0].Life = func() (certificate.Life, error) { return certificate.Life{}, os.ErrNotExist }
		}, `^problem certificate: the certificate of http.listen cannot be read: file does not exist \| a start ends`},
	})
}

// The committed offsets are compared with what the source holds.
func TestFindingsOfOffsets(t *testing.T) {
	findings(t, []finding{
		{"documents deleted unread", func(w *ward) { w.trim("news", 0, 3) }, `^problem group: news/0: committed is 2, and the topic begins at 3 \| deleted before they were read: at most 1 document \|`},
		{"documents to be read", func(*ward) {}, `^ok group: 1 of 2 partitions begun, at most 1 document behind`},
		{"documents that cannot be read yet", func(w *ward) { w.openOn("someone", "news", 0) }, `^ok group: 1 of 2 partitions begun, at most 1 document behind`},
		{"a partition without a leader", func(w *ward) { w.depose("news", 1) }, `^problem group: news/1 has no leader \| .* the other partitions go on \| .*--unavailable-partitions --topic news`},
		{"other settings, and nothing is committed yet", func(w *ward) {
			w.in.Settings = []byte(`{"test":"others"}`)
			w.commit(0, 0, protocol.Metadata(1, 0)+" new")
		}, `^problem settings: they differ .* \| use those settings; nothing was committed in group \w+ yet: to begin anew, stop all members, delete topic unecho.journal, and start again$`},
		{"an offset too far", func(w *ward) { w.commit(0, 9, protocol.Metadata(1, 0)) }, `^problem group: news/0: committed is 9, and the topic ends at 3 .* --to-offset 3 --execute`},
		{"an offset set by hand", func(w *ward) { w.commit(0, 1, "") }, `^note group: news/0: committed is 1, by another program or person`},
		{"offsets that were lost", func(w *ward) { w.commit(0, 1, protocol.Metadata(1, 0)) }, `^problem group: news/0: committed is 1, and all below 2 was forwarded .* start a member: it stops, and names all .* --accept-lost-offsets`},
		{"a document about to be deleted", func(w *ward) { w.alter("news", "retention.ms", "600000"); w.later(9 * time.Minute) }, `^note group: news/0: the next document is older than 75 % of retention.ms, 10m0s`},
		{"a foreign member", func(w *ward) { w.join() }, `^problem group: group unecho: member .* is not of unecho`},
		{"a foreign member of the new protocol", func(w *ward) { w.joinAnew() }, `^problem group: group unecho: member .* \(client guest at .*\) is not of unecho .*\| stop that program`},
	})
}

// finding is a fault of a service that is otherwise well, and what the doctor then says.
type finding struct {
	name string
	do   func(w *ward)
	want string // a pattern for one line: level, check, what, why, remedy
}

func findings(t *testing.T, all []finding) {
	t.Helper()
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWard(t)
			w.well()
			c.do(w)
			report := w.run()
			if got := lines(report); !regexp.MustCompile(`(?m)` + c.want).MatchString(got) {
				t.Errorf("want %s, got\n%s", c.want, got)
			}
			if report.Healthy != (report.Problems == 0) || strings.HasPrefix(c.want, "^problem") == report.Healthy {
				t.Errorf("%d problems, healthy: %v", report.Problems, report.Healthy)
			}
		})
	}
}

func (w *ward) damage() {
	w.t.Helper()
	manifests, err := filepath.Glob(filepath.Join(w.stored.Path, "main", "manifests", "*"))
	w.must(err)
	for _, path := range manifests {
		w.must(os.Truncate(path, 100))
	}
}

// by is a unique document of a group.
func by(group string) *kgo.Record {
	return &kgo.Record{Topic: "news.unique", Headers: []kgo.RecordHeader{{Key: sink.HeaderIndex, Value: []byte(group)}}}
}

// open leaves a transaction open.
func (w *ward) open(id string) { w.openOn(id, "news.unique", 1) }

func (w *ward) openOn(id, topic string, partition int32) {
	w.t.Helper()
	client := w.connect(kgo.TransactionalID(id), kgo.TransactionTimeout(time.Minute))
	w.must(client.BeginTransaction(), client.ProduceSync(w.t.Context(), &kgo.Record{Topic: topic, Partition: partition}).FirstErr())
}

// depose takes a partition's leader away.
func (w *ward) depose(topic string, partition int32) {
	w.cluster.Fault(kfake.Fault{
		Keys: []kmsg.Key{kmsg.Metadata, kmsg.ListOffsets}, Topic: topic, Partitions: []int32{partition},
		Err: kerr.LeaderNotAvailable, Count: -1,
	})
}

// join lets a program that is none of ours take part in the group.
func (w *ward) join() {
	w.t.Helper()
	client := w.connect(kgo.ConsumerGroup(w.in.Params.Group), kgo.ConsumeTopics("news"), kgo.DisableAutoCommit())
	ctx, cancel := context.WithTimeout(w.t.Context(), time.Minute)
	defer cancel()
	if client.PollFetches(ctx).NumRecords() == 0 {
		w.t.Fatal("the foreign member reads nothing")
	}
}

// joinAnew has a consumer of Kafka's new protocol join.
func (w *ward) joinAnew() {
	w.t.Helper()
	req := kmsg.NewPtrConsumerGroupHeartbeatRequest()
	req.Group, req.MemberID, req.MemberEpoch, req.RebalanceTimeoutMillis = w.in.Params.Group, "guest-1", 0, 60_000
	req.SubscribedTopicNames, req.Topics = []string{"news"}, []kmsg.ConsumerGroupHeartbeatRequestTopic{}
	resp, err := req.RequestWith(w.t.Context(), w.connect(kgo.ClientID("guest")))
	w.must(err)
	w.must(kerr.ErrorForCode(resp.ErrorCode))
}

// What Kafka says about rights is compared with the list in permissions.md.
func TestRights(t *testing.T) {
	allow := func(resource kmsg.ACLResourceType, name string, operations ...kmsg.ACLOperation) (acls []kfake.ACL) {
		for _, op := range operations {
			acls = append(acls, kfake.ACL{
				Resource: resource, Name: name, Pattern: kmsg.ACLResourcePatternTypePrefixed,
				Operation: op, Allow: true,
			})
		}
		return acls
	}
	acls := allow(kmsg.ACLResourceTypeTopic, "news", kmsg.ACLOperationRead, kmsg.ACLOperationDescribeConfigs)
	acls = append(acls, allow(kmsg.ACLResourceTypeTopic, "unecho.journal", kmsg.ACLOperationRead, kmsg.ACLOperationWrite,
		kmsg.ACLOperationDescribeConfigs)...)
	acls = append(acls, allow(kmsg.ACLResourceTypeGroup, "unecho", kmsg.ACLOperationDescribe)...)
	w := newWard(t, kfake.EnableACLs(), kfake.Superuser("PLAIN", "admin", "a"),
		kfake.User("PLAIN", "unecho", "u", acls...))
	base := w.in.Options
	as := func(user, password string) []kgo.Opt {
		return append([]kgo.Opt{kgo.SASL(plain.Auth{User: user, Pass: password}.AsMechanism())}, base...)
	}
	w.in.Options = as("admin", "a")
	w.well()
	if report := w.run(); !report.Healthy {
		t.Errorf("an administrator lacks nothing, got\n%s", lines(report))
	}
	w.in.Options = as("unecho", "u")
	got := lines(w.run())
	for _, want := range []string{
		`problem rights: topic news.unique: the right Write is missing | documents are forwarded to it | ` +
			`kafka-acls.sh --bootstrap-server kafka:9092 --add --allow-principal User:NAME --operation Write --topic news.unique`,
		"problem rights: topic unecho.journal: the right Delete is missing",
		"note rights: topic news.rejected: the right Alter is missing",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want %s\n", want)
		}
	}
	for _, none := range []string{
		"topic news: the right Read", "topic unecho.journal: the right Read", "topic unecho.journal: the right Write",
		"the right DescribeConfigs", "topic news: the right Write",
	} {
		if strings.Contains(got, none) {
			t.Errorf("there should be no %s", none)
		}
	}
	w.in.Takes = true
	if got, want := lines(w.run()), `problem rights: topic news: the right Write is missing | documents that come over HTTP are `+
		`written to it (http.ingest) | kafka-acls.sh --bootstrap-server kafka:9092 --add --allow-principal User:NAME `+
		`--operation Write --topic news`; strings.Count(got, want) != 1 {
		t.Errorf("want %s, got\n%s", want, got)
	}
	if t.Failed() {
		t.Logf("got\n%s", got)
	}
	var fault *broker.Fault
	w.in.Options = as("unecho", "wrong")
	if _, err := Run(t.Context(), w.in); !errors.As(err, &fault) ||
		!strings.Contains(err.Error(), "the login with PLAIN; check kafka.sasl") {
		t.Errorf("a wrong password: got %v", err)
	}
}

func TestNobodyThere(t *testing.T) {
	w := newWard(t)
	w.in.Options = []kgo.Opt{kgo.SeedBrokers("127.0.0.1:1")}
	var fault *broker.Fault
	if _, err := Run(t.Context(), w.in); !errors.As(err, &fault) {
		t.Errorf("got %v", err)
	}
}

// A coordinator that is not there yet is waited for, and the report says so.
func TestNoCoordinatorAtFirst(t *testing.T) {
	w := newWard(t)
	w.well()
	w.cluster.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.OffsetFetch}, Err: kerr.CoordinatorNotAvailable, Count: 4})
	report := w.run()
	if got := lines(report); !report.Healthy ||
		!strings.Contains(got, "note group: Kafka had no coordinator at first, and was asked again for ") ||
		!strings.Contains(got, "ok group: 1 of 2 partitions begun") {
		t.Errorf("got\n%s", got)
	}
	if f := unseen(fmt.Errorf("read offsets: %w", kerr.CoordinatorLoadInProgress)); f.Level != Problem ||
		!strings.HasPrefix(f.What, "Kafka has no coordinator: read offsets") {
		t.Errorf("there is none for long: %+v", f)
	}
}

func TestTransactionVersions(t *testing.T) {
	for _, c := range []struct {
		level int16
		known bool
		want  Level
	}{{2, true, OK}, {1, true, Note}, {0, true, Note}, {0, false, Note}} {
		if got := transactionVersion("kafka:9092", c.level, c.known); len(got) != 1 || got[0].Level != c.want {
			t.Errorf("%d, %v: got %+v", c.level, c.known, got)
		}
	}
}
