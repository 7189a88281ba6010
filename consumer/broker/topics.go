package broker

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"
	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/retry"
)

// Topic is one incarnation of a topic.
type Topic struct {
	Name       string
	ID         [16]byte // a topic that is deleted and created again has another
	Partitions int
	Replicas   int
	// MaxMessageBytes is max.message.bytes, where outputs are returned; 0: the broker does not say.
	MaxMessageBytes int
}

// Topics reads, verifies and creates topics.
type Topics struct {
	cl     *kgo.Client
	admin  *kadm.Client
	log    zerolog.Logger
	server string // for the commands in remedies
}

// NewTopics works through a client that the caller closes.
func NewTopics(cl *kgo.Client, logger zerolog.Logger) *Topics {
	return &Topics{cl: cl, admin: kadm.NewClient(cl), log: logger, server: strings.Join(seeds(cl), ",")}
}

// Describe returns the topics in the order of their names. If any are missing, one *Fault names them all; it wraps
// ErrMissing.
func (t *Topics) Describe(ctx context.Context, names ...string) ([]Topic, error) {
	found, err := t.find(ctx, names)
	if err != nil {
		return nil, err
	}
	var out []Topic
	var missing []string
	for _, n := range names {
		topic, ok := found[n]
		if !ok {
			missing = append(missing, n)
			continue
		}
		out = append(out, topic)
	}
	if len(missing) > 0 {
		return nil, &Fault{
			What: "cannot find " + strings.Join(missing, ", "), Err: ErrMissing,
			Remedy: "correct the name, or create the topic: " + t.createCommand(missing[0], -1, -1, nil),
		}
	}
	return out, nil
}

// find returns the topics that exist.
func (t *Topics) find(ctx context.Context, names []string) (map[string]Topic, error) {
	// kadm would answer from a cache for some seconds, also that a topic is missing.
	req := kmsg.NewPtrMetadataRequest()
	req.Topics = make([]kmsg.MetadataRequestTopic, 0, len(names)) // null would mean all
	for _, n := range names {
		rt := kmsg.NewMetadataRequestTopic()
		rt.Topic = &n
		req.Topics = append(req.Topics, rt)
	}
	resp, err := req.RequestWith(ctx, t.cl)
	if err != nil {
		return nil, t.refused("describe", strings.Join(names, ", "), err)
	}
	out := make(map[string]Topic, len(names))
	for _, d := range resp.Topics {
		if d.Topic == nil || d.ErrorCode == kerr.UnknownTopicOrPartition.Code {
			continue
		}
		name := *d.Topic
		if err := kerr.ErrorForCode(d.ErrorCode); err != nil {
			return nil, t.refused("describe", name, err)
		}
		if d.TopicID == [16]byte{} {
			return nil, &Fault{
				What:   fmt.Sprintf("Kafka gives topic %s no id, so that a deleted and recreated topic would pass for the old one", name),
				Remedy: "use Kafka 2.8 or later",
			}
		}
		topic := Topic{Name: name, ID: d.TopicID, Partitions: len(d.Partitions)}
		if topic.Partitions > 0 {
			topic.Replicas = len(d.Partitions[0].Replicas)
		}
		out[name] = topic
	}
	return out, nil
}

// A created topic is known to the controller at once, and a moment later to the broker that is asked.
const (
	visibleWithin = time.Minute
	visiblePoll   = 50 * time.Millisecond
)

// create makes a topic and returns it when it can be seen. If another member was faster, that is no error. Replicas of 0
// or less are the broker's default.
func (t *Topics) create(ctx context.Context, name string, partitions, replicas int,
	configs map[string]string,
) (Topic, error) {
	if replicas < 1 {
		replicas = -1
	}
	values := make(map[string]*string, len(configs))
	for k, v := range configs {
		values[k] = &v
	}
	made, err := t.admin.CreateTopics(ctx, int32(partitions), int16(replicas), values, name) // validated, or Kafka's own
	if err == nil {
		r := made[name]
		if err = r.Err; err != nil && r.ErrMessage != "" {
			err = fmt.Errorf("%w: %s", err, r.ErrMessage)
		}
	}
	switch {
	case err == nil:
		t.log.Info().Str("topic", name).Int("partitions", partitions).Msg("topic created")
	case !errors.Is(err, kerr.TopicAlreadyExists):
		f := t.refused("create", name, err)
		if Forbidden(err) || errors.Is(err, kerr.PolicyViolation) {
			f.Remedy += "; or let someone else create it: " + t.createCommand(name, partitions, replicas, configs)
		}
		return Topic{}, f
	}
	return t.await(ctx, name, 1) // somebody else may have made it narrower
}

// widen adds partitions to a topic and returns it when they can be seen. If another member was faster, that is no error.
func (t *Topics) widen(ctx context.Context, name string, partitions int) (Topic, error) {
	made, err := t.admin.UpdatePartitions(ctx, partitions, name)
	if err == nil {
		err = made[name].Err
	}
	switch {
	case err == nil:
		t.log.Warn().Str("topic", name).Int("partitions", partitions).
			Msg("partitions added to an output, as the source has more")
	case !errors.Is(err, kerr.InvalidPartitions): // it has as many already
		f := t.refused("widen", name, err)
		if Forbidden(err) || errors.Is(err, kerr.PolicyViolation) {
			f.Remedy += "; or let someone else do it: " + t.widenCommand(name, partitions)
		}
		return Topic{}, f
	}
	return t.await(ctx, name, partitions)
}

// await returns a topic when it can be seen with so many partitions.
func (t *Topics) await(ctx context.Context, name string, partitions int) (Topic, error) {
	ctx, cancel := context.WithTimeout(ctx, visibleWithin)
	defer cancel()
	for {
		found, err := t.find(ctx, []string{name})
		if topic, ok := found[name]; ok && topic.Partitions >= partitions {
			return topic, nil
		}
		if err != nil && !errors.Is(err, kerr.LeaderNotAvailable) {
			return Topic{}, err
		}
		if err := retry.Pause(ctx, visiblePoll); err != nil {
			return Topic{}, &Fault{
				What: fmt.Sprintf("topic %s was made and does not show up with %d partitions", name, partitions), Err: ctx.Err(),
				Remedy: "look into the log of Kafka's controller",
			}
		}
	}
}

// Settings reads the settings of a topic that exists. A broker that does not know the topic yet is asked again.
func (t *Topics) Settings(ctx context.Context, name string) (map[string]string, error) {
	bound, cancel := context.WithTimeout(ctx, visibleWithin)
	defer cancel()
	for {
		out, err := t.askConfigs(ctx, name)
		if err == nil {
			return out, nil
		}
		if !errors.Is(err, kerr.UnknownTopicOrPartition) || retry.Pause(bound, visiblePoll) != nil {
			return nil, t.refused("read the settings of", name, err)
		}
	}
}

func (t *Topics) askConfigs(ctx context.Context, name string) (map[string]string, error) {
	all, err := t.admin.DescribeTopicConfigs(ctx, name)
	if err != nil {
		return nil, err
	}
	one, err := all.On(name, nil)
	if err == nil {
		err = one.Err
	}
	if err != nil {
		return nil, err
	}
	out := make(map[string]string, len(one.Configs))
	for _, c := range one.Configs {
		if c.Value != nil {
			out[c.Key] = *c.Value
		}
	}
	return out, nil
}

// refused explains why Kafka refused a request about a topic.
func (t *Topics) refused(verb, name string, err error) *Fault {
	f := &Fault{What: fmt.Sprintf("cannot %s topic %s", verb, name), Err: err}
	switch {
	case Forbidden(err):
		operation := map[string]string{"describe": "Describe", "create": "Create", "widen": "Alter"}[verb]
		if operation == "" {
			operation = "DescribeConfigs"
		}
		f.Remedy = fmt.Sprintf("grant it: kafka-acls.sh --bootstrap-server %s --add --allow-principal User:NAME "+
			"--operation %s --topic %s",
			t.server, operation, name)
	case errors.Is(err, kerr.InvalidReplicationFactor):
		f.Remedy = "ask for no more replicas than there are brokers, or for -1, the broker's default"
	case errors.Is(err, kerr.InvalidTopicException):
		f.Remedy = "choose another name: up to 249 letters, digits, '.', '_' and '-', and '.' and '_' are taken for equal"
	case errors.Is(err, kerr.PolicyViolation):
		f.Remedy = "ask those who run Kafka what their policy for new topics demands"
	default:
		return connectionOf(t.cl).explain(f.What, err)
	}
	return f
}

func (t *Topics) createCommand(name string, partitions, replicas int, configs map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "kafka-topics.sh --bootstrap-server %s --create --topic %s", t.server, name)
	if partitions > 0 {
		fmt.Fprintf(&b, " --partitions %d", partitions)
	}
	if replicas > 0 {
		fmt.Fprintf(&b, " --replication-factor %d", replicas)
	}
	for _, k := range slices.Sorted(maps.Keys(configs)) {
		fmt.Fprintf(&b, " --config %s=%s", k, configs[k])
	}
	return b.String()
}

func (t *Topics) widenCommand(name string, partitions int) string {
	return fmt.Sprintf("kafka-topics.sh --bootstrap-server %s --alter --topic %s --partitions %d", t.server, name, partitions)
}

// ConfigCommand returns the command that sets one of a topic's settings.
func (t *Topics) ConfigCommand(name, key, value string) string {
	return fmt.Sprintf("kafka-configs.sh --bootstrap-server %s --alter --entity-type topics --entity-name %s "+
		"--add-config %s=%s",
		t.server, name, key, value)
}

// seeds returns the addresses that a client was given.
func seeds(cl *kgo.Client) []string {
	s, _ := cl.OptValue(kgo.SeedBrokers).([]string)
	return s
}
