package broker

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// JournalWant says what the journal topic must be, in addition to what the protocol asks of any journal.
type JournalWant struct {
	ReplicationFactor int  // of a created topic; 0 or less: the broker's default
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
// members disagree. Replicas are those that it has, or will have; 0 or less is unknown.
func journalRules(want JournalWant, replicas int) []configRule {
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
	if replicas >= 3 {
		rules = append(rules, configRule{
			key: "min.insync.replicas", want: "2", least: true,
			why: "an append that one broker alone has taken would count, and be lost with it",
		})
	}
	return rules
}

// VerifyJournal returns the journal topic if it is what the protocol needs, and otherwise a *TopicError with all
// mistakes. If the topic is missing and may be created, VerifyJournal creates it as the protocol needs it.
func (t *Topics) VerifyJournal(ctx context.Context, name string, want JournalWant) (Topic, error) {
	found, err := t.find(ctx, []string{name})
	if err != nil {
		return Topic{}, err
	}
	topic, ok := found[name]
	if !ok {
		if topic, err = t.createJournal(ctx, name, want); err != nil {
			return Topic{}, err
		}
	}
	mistakes, err := t.check(ctx, name, journalRules(want, topic.Replicas))
	if err != nil {
		return Topic{}, err
	}
	for i := range mistakes {
		if strings.HasPrefix(mistakes[i].What, maxMessageBytes) {
			mistakes[i].Remedy += "; or lower advanced.max_document_bytes, from which that follows"
		}
	}
	if len(mistakes) > 0 {
		return Topic{}, &TopicError{Topic: name, Mistakes: mistakes}
	}
	if topic.Partitions > 1 {
		t.log.Warn().Str("topic", name).Int("partitions", topic.Partitions).
			Msg("the journal has more than one partition: only partition 0 is used")
	}
	return topic, nil
}

func (t *Topics) createJournal(ctx context.Context, name string, want JournalWant) (Topic, error) {
	has := want.ReplicationFactor
	if has < 1 {
		has = t.defaultReplicas(ctx, name)
	}
	configs := map[string]string{}
	for _, r := range journalRules(want, has) {
		configs[r.key] = r.want
	}
	if !want.Create {
		return Topic{}, &Fault{
			What: "cannot find the journal " + name, Err: ErrMissing,
			Remedy: "allow its creation, or create it: " + t.createCommand(name, 1, want.ReplicationFactor, configs),
		}
	}
	return t.create(ctx, name, 1, want.ReplicationFactor, configs)
}

// defaultReplicas asks how many replicas a topic would get by the broker's default. It is 0 or less where the broker does
// not say.
func (t *Topics) defaultReplicas(ctx context.Context, name string) int {
	would, err := t.admin.ValidateCreateTopics(ctx, 1, -1, nil, name)
	if err != nil {
		return -1 // the creation fails as well, and says why
	}
	return int(would[name].ReplicationFactor)
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
