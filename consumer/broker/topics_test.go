package broker

import (
	"errors"
	"strings"
	"testing"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kmsg"
)

func topics(t *testing.T, opts ...kfake.Opt) (*Topics, *kfake.Cluster, *strings.Builder) {
	t.Helper()
	c := cluster(t, opts...)
	var log strings.Builder
	return NewTopics(client(t, params(c.ListenAddrs()...)), zerolog.New(&log)), c, &log
}

func make1(t *testing.T, ts *Topics, name string, partitions int, configs map[string]string) Topic {
	t.Helper()
	topic, err := ts.create(deadline(t), name, partitions, -1, configs)
	if err != nil {
		t.Fatal(err)
	}
	return topic
}

var want = JournalWant{MaxMessageBytes: 2 << 20, Create: true}

func TestJournalIsCreatedAsItMustBe(t *testing.T) {
	ts, _, _ := topics(t)
	made, err := ts.VerifyJournal(deadline(t), "g.journal", want)
	if err != nil {
		t.Fatal(err)
	}
	if made.Partitions != 1 || made.Replicas != 1 || made.ID == [16]byte{} || made.Name != "g.journal" {
		t.Errorf("got %+v", made)
	}
	configs, err := ts.Settings(deadline(t), "g.journal")
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{
		"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1", "message.timestamp.type": "LogAppendTime",
		"unclean.leader.election.enable": "false", "max.message.bytes": "2097152", "min.insync.replicas": "1",
	} {
		if configs[key] != value {
			t.Errorf("%s is %q, want %q", key, configs[key], value)
		}
	}
	want := want
	want.Create = false
	if again, err := ts.VerifyJournal(deadline(t), "g.journal", want); err != nil || again != made {
		t.Errorf("the second member finds %+v, %v", again, err)
	}
}

// A topic that one member has just created may not be known yet to another member's broker.
func TestTopicThatABrokerDoesNotKnowYet(t *testing.T) {
	ts, c, _ := topics(t)
	make1(t, ts, "news", 3, nil)
	fault := c.Fault(kfake.Fault{Keys: []kmsg.Key{kmsg.DescribeConfigs}, Err: kerr.UnknownTopicOrPartition, Count: 3})
	configs, err := ts.Settings(deadline(t), "news")
	if err != nil || configs["cleanup.policy"] != "delete" {
		t.Errorf("got %v, %v", configs, err)
	}
	if fault.Hits() != 3 {
		t.Errorf("it was asked %d times", fault.Hits())
	}
}

// journalCase is a journal that differs from a valid one.
type journalCase struct {
	name       string
	key, value string
	partitions int
	want       []string
}

func journalCases() []journalCase {
	return []journalCase{
		{name: "right", partitions: 1},
		{"retention", "retention.ms", "604800000", 1, []string{"retention.ms is 604800000, and must be -1"}},
		{"retention by size", "retention.bytes", "1000000", 1, []string{"retention.bytes is 1000000, and must be -1"}},
		{"compaction", "cleanup.policy", "compact", 1, []string{"cleanup.policy is compact, and must be delete"}},
		{"compaction, too", "cleanup.policy", "compact,delete", 1, []string{"cleanup.policy is compact,delete"}},
		{"client times", "message.timestamp.type", "CreateTime", 1, []string{"message.timestamp.type is CreateTime, and must be LogAppendTime"}},
		{"unclean", "unclean.leader.election.enable", "true", 1, []string{"unclean.leader.election.enable is true"}},
		{"small messages", "max.message.bytes", "1048588", 1, []string{"max.message.bytes is 1048588, and must be at least 2097152"}},
		{"no number", "max.message.bytes", "many", 1, []string{"max.message.bytes is many"}},
		{name: "more partitions, of which only the first is used", partitions: 3},
		{"in sync", "min.insync.replicas", "1", 1, []string{"min.insync.replicas is 1, and must be at least 2"}},
	}
}

// In topics that people make by hand, each wrong setting is reported with the command that mends it, and nothing else.
func TestJournalMistakes(t *testing.T) {
	right := map[string]string{
		"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1", "message.timestamp.type": "LogAppendTime",
		"unclean.leader.election.enable": "false", "max.message.bytes": "4194304", "min.insync.replicas": "2",
	}
	ts, c, _ := topics(t, kfake.NumBrokers(3))
	for _, tt := range journalCases() {
		t.Run(tt.name, func(t *testing.T) {
			name := strings.ReplaceAll(tt.name, " ", "-")
			name = strings.ReplaceAll(name, ",", "")
			configs := map[string]string{}
			for k, v := range right {
				configs[k] = v
			}
			if tt.key != "" {
				configs[tt.key] = tt.value
			}
			make1(t, ts, name, tt.partitions, configs)
			_, err := ts.VerifyJournal(deadline(t), name, want)
			var got *TopicError
			if errors.As(err, &got) != (tt.want != nil) {
				t.Fatalf("got %v", err)
			}
			if tt.want == nil {
				return
			}
			t.Log(err)
			if len(got.Mistakes) != len(tt.want) {
				t.Fatalf("got %d mistakes, want %d", len(got.Mistakes), len(tt.want))
			}
			for i, m := range got.Mistakes {
				if !strings.Contains(m.What, tt.want[i]) || m.Why == "" || m.Remedy == "" {
					t.Errorf("got %+v, want %q", m, tt.want[i])
				}
			}
			if command := "--add-config " + tt.key + "="; tt.key != "" && (!strings.Contains(err.Error(), command) ||
				!strings.Contains(err.Error(), c.ListenAddrs()[0]) || !strings.Contains(err.Error(), "--entity-name "+name)) {
				t.Errorf("the remedy is no command to paste: %v", err)
			}
		})
	}
}

func TestJournalIsNotCreatedUninvited(t *testing.T) {
	ts, _, _ := topics(t)
	w := want
	w.Create = false
	_, err := ts.VerifyJournal(deadline(t), "j", w)
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "--partitions 1") ||
		!strings.Contains(err.Error(), "--config retention.ms=-1") {
		t.Errorf("got %v", err)
	}
	if _, err := ts.Describe(deadline(t), "j"); !errors.Is(err, ErrMissing) {
		t.Errorf("it was created: %v", err)
	}
}

// Two members start at the same moment: one creates the journal, the other is told that it exists, and goes on.
func TestJournalIsCreatedOnce(t *testing.T) {
	c := cluster(t)
	made := make(chan Topic, 2)
	for range 2 {
		ts := NewTopics(client(t, params(c.ListenAddrs()...)), zerolog.Nop())
		go func() {
			topic, err := ts.VerifyJournal(deadline(t), "j", want)
			if err != nil {
				t.Error(err)
			}
			made <- topic
		}()
	}
	if a, b := <-made, <-made; a != b {
		t.Errorf("one has %+v, the other %+v", a, b)
	}
}

func TestUnreportedSettingsAreToldAtDebug(t *testing.T) {
	ts, _, log := topics(t)
	make1(t, ts, "j", 1, map[string]string{
		"retention.ms": "-1", "message.timestamp.type": "LogAppendTime",
		"max.message.bytes": "2097152",
	})
	if _, err := ts.VerifyJournal(deadline(t), "j", want); err != nil {
		t.Error(err)
	}
	if !strings.Contains(log.String(), `"level":"debug"`) ||
		!strings.Contains(log.String(), "unclean.leader.election.enable") {
		t.Errorf("the log says nothing of it: %s", log)
	}
}

func TestDescribe(t *testing.T) {
	ts, _, _ := topics(t, kfake.SeedTopics(3, "a"), kfake.SeedTopics(1, "b"))
	got, err := ts.Describe(deadline(t), "b", "a")
	if err != nil || len(got) != 2 || got[0].Name != "b" || got[0].Partitions != 1 || got[1].Partitions != 3 ||
		got[0].ID == got[1].ID {
		t.Errorf("got %+v, %v", got, err)
	}
	_, err = ts.Describe(deadline(t), "x", "a", "y")
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "x, y") {
		t.Errorf("got %v, want both that are missing", err)
	}
}

func TestTopicsTellThatKafkaIsGone(t *testing.T) {
	address := closedPort(t)
	_, err := NewTopics(client(t, params(address)), zerolog.Nop()).Describe(deadline(t), "a")
	if err == nil || !strings.Contains(err.Error(), "cannot describe topic a: nothing listens there; start Kafka") {
		t.Errorf("got %v", err)
	}
}

func TestRefusalsHaveARemedy(t *testing.T) {
	tests := []struct {
		code   *kerr.Error
		key    kmsg.Key
		remedy string
	}{
		{kerr.TopicAuthorizationFailed, kmsg.CreateTopics, "--operation Create"},
		{kerr.ClusterAuthorizationFailed, kmsg.CreateTopics, "--operation Create"},
		{kerr.PolicyViolation, kmsg.CreateTopics, "policy"},
		{kerr.InvalidReplicationFactor, kmsg.CreateTopics, "no more replicas"},
		{kerr.InvalidTopicException, kmsg.CreateTopics, "another name"},
		{kerr.TopicAuthorizationFailed, kmsg.Metadata, "--operation Describe"},
		{kerr.TopicAuthorizationFailed, kmsg.DescribeConfigs, "--operation DescribeConfigs"},
	}
	for _, tt := range tests {
		t.Run(tt.code.Message+" of "+tt.key.Name(), func(t *testing.T) {
			ts, c, _ := topics(t)
			c.ControlKey(int16(tt.key), func(req kmsg.Request) (kmsg.Response, error, bool) {
				c.KeepControl()
				return refuse(req, tt.code.Code)
			})
			_, err := ts.VerifyJournal(deadline(t), "j", want)
			var f *Fault
			if !errors.As(err, &f) || !strings.Contains(f.Remedy, tt.remedy) || !errors.Is(err, tt.code) {
				t.Fatalf("got %v, want the remedy %q", err, tt.remedy)
			}
			elsewhere := tt.key == kmsg.CreateTopics && (Forbidden(err) || errors.Is(err, kerr.PolicyViolation))
			if elsewhere != strings.Contains(f.Remedy, "kafka-topics.sh") {
				t.Errorf("how someone else would create the topic is said: %v, but: %v", !elsewhere, err)
			}
		})
	}
}

// refuse answers a request about topic j with an error code.
func refuse(req kmsg.Request, code int16) (kmsg.Response, error, bool) {
	j := "j"
	switch resp := req.ResponseKind().(type) {
	case *kmsg.CreateTopicsResponse:
		resp.Topics = []kmsg.CreateTopicsResponseTopic{{Topic: j, ErrorCode: code}}
		return resp, nil, true
	case *kmsg.MetadataResponse:
		if len(req.(*kmsg.MetadataRequest).Topics) == 0 {
			return nil, nil, false
		}
		resp.Topics = []kmsg.MetadataResponseTopic{{Topic: &j, ErrorCode: code}}
		return resp, nil, true
	case *kmsg.DescribeConfigsResponse:
		resp.Resources = []kmsg.DescribeConfigsResponseResource{{
			ResourceType: kmsg.ConfigResourceTypeTopic, ResourceName: j,
			ErrorCode: code,
		}}
		return resp, nil, true
	}
	return nil, nil, false
}

func TestOutputsAreCreatedLikeTheSource(t *testing.T) {
	ts, _, log := topics(t, kfake.SeedTopics(3, "s"), kfake.SeedTopics(5, "s.more"))
	src, err := ts.Describe(deadline(t), "s")
	if err != nil {
		t.Fatal(err)
	}
	w := OutputsWant{Source: src[0], Names: []string{"s.new", "s.more"}, Create: true, MaxRecordBytes: 1 << 20}
	got, err := ts.EnsureOutputs(deadline(t), w)
	if err != nil || len(got) != 2 || got[0].Name != "s.new" || got[0].Partitions != 3 || got[1].Partitions != 5 {
		t.Fatalf("got %+v, %v", got, err)
	}
	configs, err := ts.Settings(deadline(t), "s.new")
	if err != nil || configs["max.message.bytes"] != "1048588" {
		t.Errorf("max.message.bytes is %s, %v", configs["max.message.bytes"], err)
	}
	if strings.Contains(log.String(), `"warn"`) {
		t.Errorf("it warns for nothing: %s", log)
	}
	w.Names, w.MaxRecordBytes = []string{"s.large"}, 5<<20
	if _, err := ts.EnsureOutputs(deadline(t), w); err != nil {
		t.Error(err)
	}
}

// TestOutputsAreCreatedAsConfigured: partitions are those of the source, and what a backfill needs to be kept
// outranks a configuration.
func TestOutputsAreCreatedAsConfigured(t *testing.T) {
	ts, _, _ := topics(t)
	make1(t, ts, "s", 2, map[string]string{"retention.ms": "-1"})
	src, err := ts.Describe(deadline(t), "s")
	if err != nil {
		t.Fatal(err)
	}
	w := OutputsWant{
		Source: src[0], Create: true, MaxRecordBytes: 1 << 20,
		Config: map[string]string{"retention.ms": "604800000", "max.message.bytes": "3000000"},
	}
	for _, c := range []struct {
		name      string
		past      bool
		retention string
	}{
		{"s.made", false, "604800000"},
		{"s.past", true, "-1"},
	} {
		w.Names, w.KeepPast = []string{c.name}, c.past
		got, err := ts.EnsureOutputs(deadline(t), w)
		if err != nil || len(got) != 1 || got[0].Partitions != 2 {
			t.Fatalf("%s: got %+v, %v; want the source's 2 partitions", c.name, got, err)
		}
		configs, err := ts.Settings(deadline(t), c.name)
		if err != nil || configs["retention.ms"] != c.retention || configs["max.message.bytes"] != "3000000" {
			t.Errorf("%s: retention.ms %s, max.message.bytes %s, %v; want %s and 3000000", c.name, configs["retention.ms"],
				configs["max.message.bytes"], err, c.retention)
		}
	}
	w.Names, w.MustTake = []string{"s.small"}, 3000001
	if _, err := ts.EnsureOutputs(deadline(t), w); err == nil ||
		!strings.Contains(err.Error(), "outputs.create.config would give it max.message.bytes 3000000, and it must be at least 3000001") {
		t.Errorf("got %v; want a topic that takes too little refused", err)
	}
	if _, err := ts.Describe(deadline(t), "s.small"); !errors.Is(err, ErrMissing) {
		t.Errorf("a topic that takes too little is created: %v", err)
	}
}

func TestOutputMistakesOfAllTopicsComeAtOnce(t *testing.T) {
	ts, _, log := topics(t, kfake.SeedTopics(3, "s"), kfake.SeedTopics(2, "s.few"))
	make1(t, ts, "s.small", 1, map[string]string{"max.message.bytes": "1000"})
	make1(t, ts, "s.odd", 3, map[string]string{"message.timestamp.type": "LogAppendTime", "cleanup.policy": "compact"})
	src, err := ts.Describe(deadline(t), "s")
	if err != nil {
		t.Fatal(err)
	}
	w := OutputsWant{Source: src[0], Names: []string{"s.few", "s.odd", "s.small", "s.none"}, MaxRecordBytes: 1 << 20}
	_, err = ts.EnsureOutputs(deadline(t), w)
	if err == nil {
		t.Fatal("all is well")
	}
	for _, part := range []string{
		"s.few is not", "it has 2 partitions, and must have at least 3, as s has", "--alter --topic s.few --partitions 3",
		"s.small is not", "it has 1 partitions", "max.message.bytes is 1000, and must be at least 1048576",
		"cannot find the output s.none", "outputs.create.enabled: true", "--create --topic s.none --partitions 3",
	} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q is not in %v", part, err)
		}
	}
	if strings.Contains(err.Error(), "s.odd") || strings.Count(log.String(), `"level":"warn"`) != 2 {
		t.Errorf("s.odd deserves two warnings: %v, %s", err, log)
	}
	w.Names, w.Compacted = []string{"s.odd"}, true
	if _, err := ts.EnsureOutputs(deadline(t), w); err != nil || strings.Count(log.String(), "the output topic is compacted") != 1 {
		t.Errorf("a topic that must be compacted is warned of, or refused: %v, %s", err, log)
	}
}
