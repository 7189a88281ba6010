package broker

import (
	"context"
	"fmt"
	"strconv"
)

// JournalWant says what the journal topic must be, in addition to what the protocol asks of any journal.
type JournalWant struct {
	ReplicationFactor int  // at least; 0 or less: the broker's default
	MinInsync         int  // at least; 0 or less: the broker's default
	MaxMessageBytes   int  // at least; 0 or less: the broker's default
	Create            bool // create the topic if it is missing
}

// configRule is one setting that a topic must have.
type configRule struct {
	key   string
	want  string
	why   string
	least bool // the value is a number, and may be greater
}

func (r configRule) holds(value string) bool {
	if !r.least {
		return value == r.want
	}
	got, err := strconv.Atoi(value)
	want, _ := strconv.Atoi(r.want)
	return err == nil && got >= want
}

// journalRules returns the rules of section 5 of the design. A topic that breaks one of them loses documents or lets
// members disagree.
func journalRules(want JournalWant) []configRule {
	rules := []configRule{
		{key: "cleanup.policy", want: "delete", why: "compaction would drop records of the journal from its middle"},
		{key: "retention.ms", want: "-1", why: "Kafka would delete what no snapshot holds yet; the journal is trimmed by its members"},
		{key: "retention.bytes", want: "-1", why: "Kafka would delete what no snapshot holds yet; the journal is trimmed by its members"},
		{key: "message.timestamp.type", want: "LogAppendTime", why: "members would disagree on when a document arrived"},
		{key: "unclean.leader.election.enable", want: "false", why: "a broker that lags could become the leader, and verdicts would be forgotten"},
	}
	if want.MaxMessageBytes > 0 {
		rules = append(rules, configRule{
			key: "max.message.bytes", want: strconv.Itoa(want.MaxMessageBytes), least: true,
			why: "the largest entries would be refused",
		})
	}
	if want.MinInsync > 0 {
		rules = append(rules, configRule{
			key: "min.insync.replicas", want: strconv.Itoa(want.MinInsync), least: true,
			why: "an append would be acknowledged by fewer brokers than configured",
		})
	}
	return rules
}

// VerifyJournal returns the journal topic if it is what the protocol needs, and otherwise a *TopicError with all
// mistakes. If the topic is missing and may be created, VerifyJournal creates it as the protocol needs it.
func (t *Topics) VerifyJournal(ctx context.Context, name string, want JournalWant) (Topic, error) {
	rules := journalRules(want)
	found, err := t.find(ctx, []string{name})
	if err != nil {
		return Topic{}, err
	}
	topic, ok := found[name]
	if !ok {
		replicas := -1
		if want.ReplicationFactor > 0 {
			replicas = want.ReplicationFactor
		}
		configs := make(map[string]string, len(rules))
		for _, r := range rules {
			configs[r.key] = r.want
		}
		if !want.Create {
			return Topic{}, &Fault{
				What: "cannot find the journal " + name, Err: ErrMissing,
				Remedy: "allow its creation, or create it: " + t.createCommand(name, 1, replicas, configs),
			}
		}
		if topic, err = t.create(ctx, name, 1, replicas, configs); err != nil {
			return Topic{}, err
		}
	}
	mistakes, err := t.check(ctx, name, rules)
	if err != nil {
		return Topic{}, err
	}
	if mistakes = append(t.journalShape(topic, want), mistakes...); len(mistakes) > 0 {
		return Topic{}, &TopicError{Topic: name, Mistakes: mistakes}
	}
	if topic.Partitions > 1 {
		t.log.Warn().Str("topic", name).Int("partitions", topic.Partitions).
			Msg("the journal has more than one partition: only partition 0 is used")
	}
	return topic, nil
}

func (t *Topics) journalShape(topic Topic, want JournalWant) []Mistake {
	var out []Mistake
	if want.ReplicationFactor > 0 && topic.Replicas < want.ReplicationFactor {
		out = append(out, Mistake{
			What: fmt.Sprintf("it has %d replicas, and must have %d", topic.Replicas, want.ReplicationFactor),
			Why:  "it would be lost with fewer brokers than configured",
			Remedy: fmt.Sprintf("kafka-reassign-partitions.sh --bootstrap-server %s --execute --reassignment-json-file FILE, "+
				`FILE being {"partitions": [{"topic": %q, "partition": 0, "replicas": [BROKER, ...]}]}`, t.server, topic.Name),
		})
	}
	if want.MinInsync > topic.Replicas {
		out = append(out, Mistake{
			What:   fmt.Sprintf("it has %d replicas, of which %d must be in sync", topic.Replicas, want.MinInsync),
			Why:    "no append would ever be acknowledged",
			Remedy: "configure min.insync.replicas no higher than the number of replicas",
		})
	}
	return out
}

// check compares a topic's settings with rules. It takes a setting that the broker does not report for one that the
// broker does not have: brokers other than Apache Kafka leave some out.
func (t *Topics) check(ctx context.Context, name string, rules []configRule) ([]Mistake, error) {
	if len(rules) == 0 {
		return nil, nil
	}
	configs, err := t.Settings(ctx, name)
	if err != nil {
		return nil, err
	}
	var out []Mistake
	for _, r := range rules {
		value, ok := configs[r.key]
		if !ok {
			t.log.Debug().Str("topic", name).Str("setting", r.key).Msg("the broker does not report this topic setting")
			continue
		}
		if r.holds(value) {
			continue
		}
		least := ""
		if r.least {
			least = "at least "
		}
		out = append(out, Mistake{
			What:   fmt.Sprintf("%s is %s, and must be %s%s", r.key, value, least, r.want),
			Why:    r.why,
			Remedy: t.ConfigCommand(name, r.key, r.want),
		})
	}
	return out, nil
}
