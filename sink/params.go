package sink

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
)

// Params say which topics documents are forwarded to, and how topics that are missing are created.
type Params struct {
	Unique    Output          `key:"unique" doc:"Where unique documents go."`
	Duplicate DuplicateOutput `key:"duplicate" doc:"Where duplicates go: to a topic, or nowhere."`
	Rejected  Output          `key:"rejected" doc:"Where documents go that cannot be judged."`
	Verdicts  VerdictsOutput  `key:"verdicts" doc:"A topic with verdicts as JSON, for readers who cannot read headers." advanced:"true"`
	Clusters  ClustersOutput  `key:"clusters" doc:"A topic with how often each original came again, and which copy is the newest." advanced:"true"`
	Create    CreateParams    `key:"create" doc:"How missing topics are created: outputs and the journal."`

	MaxRecordBytes setting.Bytes `key:"-"` // documents that would be larger as an output record, headers included, are rejected

	DryRun bool `key:"-"` // judge and count, and forward nothing: --dry-run of unecho run, and of unecho backfill
}

// Output is a topic of documents.
type Output struct {
	Topic string `key:"topic" doc:"name of the topic; {source} is the source topic" called:"topic"`
}

// DuplicateOutput is the topic of duplicates, or none.
type DuplicateOutput struct {
	Topic string `key:"topic" doc:"name of the topic; {source} is the source topic. It may be the topic of outputs.unique; then only headers mark duplicates" called:"topic"`
	Drop  bool   `key:"drop" doc:"do not write duplicates to any topic; they are still judged and counted"`
}

// VerdictsOutput is the topic of verdicts, or none.
type VerdictsOutput struct {
	Topic string `key:"topic" doc:"name of a topic with a JSON record for each document, for consumers that cannot read headers; {source} is the source topic; empty writes none" called:"topic" example:"{source}.verdicts"`
}

// ClustersOutput is the topic of clusters, or none.
type ClustersOutput struct {
	Topic string `key:"topic" doc:"name of a compacted topic with a JSON record for each copy: its original and how many copies that has. {source} is the copy's source topic; empty writes none" called:"topic" example:"{source}.clusters"`
}

// CreateParams say how topics are created that are missing: outputs, and the journal.
type CreateParams struct {
	Enabled           bool `key:"enabled" doc:"create missing topics, and add partitions to outputs that have fewer than their source"`
	ReplicationFactor int  `key:"replication_factor" doc:"replicas of created topics, also of the journal; -1 is the broker's default"`

	Config map[string]string `key:"config" doc:"topic configurations of created outputs, by their names in Kafka; the journal has its own" example:"retention.ms=604800000"`
}

// MinRecordBytes is the least MaxRecordBytes. A record whose value, key and headers are all withheld fits into it,
// whatever the names in our headers.
const MinRecordBytes = 8 * setting.KiB

// Placeholder stands for the source topic in the name of an output.
const Placeholder = "{source}"

// DefaultParams returns the defaults. Kafka's topics accept 12 bytes more than 1 MiB by default.
func DefaultParams() Params {
	p := Outputs(Placeholder+".unique", Placeholder+".duplicate", Placeholder+".rejected", "", "")
	p.Create = CreateParams{Enabled: true, ReplicationFactor: -1}
	p.MaxRecordBytes = setting.MiB
	return p
}

// Outputs are the parameters of these topics alone. Without a topic duplicates are dropped, and there are no records of
// verdicts; so it is with clusters.
func Outputs(unique, duplicate, rejected, verdicts, clusters string) Params {
	return Params{
		Unique: Output{unique}, Duplicate: DuplicateOutput{Topic: duplicate, Drop: duplicate == ""}, Rejected: Output{rejected},
		Verdicts: VerdictsOutput{verdicts}, Clusters: ClustersOutput{clusters},
	}
}

// Topics returns the outputs of a source topic. Duplicate is empty if duplicates are dropped.
func (p Params) Topics(source string) (unique, duplicate, rejected string) {
	name := func(template string) string { return named(template, source) }
	if unique, duplicate, rejected = name(p.Unique.Topic), name(p.Duplicate.Topic), name(p.Rejected.Topic); p.Duplicate.Drop {
		duplicate = ""
	}
	return unique, duplicate, rejected
}

// Together says that duplicates go to the topic of the unique documents.
func (p Params) Together() bool { return !p.Duplicate.Drop && p.Duplicate.Topic == p.Unique.Topic }

func named(template, source string) string { return strings.ReplaceAll(template, Placeholder, source) }

// VerdictsTopic returns the topic that has a record about each document of a source topic. It is empty if there is
// none.
func (p Params) VerdictsTopic(source string) string { return named(p.Verdicts.Topic, source) }

// ClustersTopic returns the topic that has a record about each copy of a source topic. It is empty if there is none.
func (p Params) ClustersTopic(source string) string { return named(p.Clusters.Topic, source) }

// All returns all topics that are written for a source topic, each once: its outputs, and those of verdicts and clusters.
func (p Params) All(source string) []string {
	all := p.Outputs(source)
	for _, topic := range []string{p.VerdictsTopic(source), p.ClustersTopic(source)} {
		if topic != "" {
			all = append(all, topic)
		}
	}
	return all
}

// Outputs returns the topics that take the documents of a source topic, each once.
func (p Params) Outputs(source string) []string {
	unique, duplicate, rejected := p.Topics(source)
	if duplicate == "" || duplicate == unique {
		return []string{unique, rejected}
	}
	return []string{unique, duplicate, rejected}
}

// Validate returns every mistake.
func (p Params) Validate() []setting.Mistake {
	var out []setting.Mistake
	seen := map[string]string{}
	for _, t := range p.templates() {
		key := t.role + ".topic"
		if m, ok := wrongTemplate(t.role, t.value); ok {
			out = append(out, m)
			continue
		}
		if other, ok := seen[t.value]; ok {
			out = append(out, setting.Wrong(key, t.value, "is the topic of "+other+" as well",
				"give each output a topic of its own"))
			continue
		}
		seen[t.value] = t.role
	}
	return append(out, setting.Under("create", p.Create.validate(MinRecordBytes))...)
}

func (p CreateParams) validate(least setting.Bytes) (out []setting.Mistake) {
	if p.ReplicationFactor != -1 && (p.ReplicationFactor < 1 || p.ReplicationFactor > 32767) {
		out = append(out, setting.Wrong("replication_factor", p.ReplicationFactor, "is not a number of replicas",
			"write 1 or more, or -1 for the broker's default"))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Config)) {
		value := p.Config[name]
		wrong := func(problem, remedy string) {
			out = append(out, setting.Wrong("config", name+": "+value, problem, remedy))
		}
		switch {
		case !setting.IsName(name) || value == "":
			wrong("is not a configuration of a topic", "write its name in Kafka and a value, as in retention.ms: \"604800000\"")
		case name == "cleanup.policy" && strings.Contains(value, "compact"):
			wrong("would drop documents of equal keys, and refuse those without a key", "leave it out")
		case name == "message.timestamp.type" && value != "CreateTime":
			wrong("would replace the documents' timestamps", "leave it out")
		case name == "max.message.bytes":
			if n, err := strconv.ParseInt(value, 10, 32); err != nil || setting.Bytes(n) < least {
				wrong("is too small for a record without its value",
					fmt.Sprintf("write %d or more, or leave it out", least))
			}
		case name == "min.insync.replicas" && p.ReplicationFactor > 0:
			if n, err := strconv.Atoi(value); err == nil && n > p.ReplicationFactor {
				wrong("is more than replication_factor: such an output takes no record",
					fmt.Sprintf("write %d or less, or raise outputs.create.replication_factor", p.ReplicationFactor))
			}
		}
	}
	return out
}

type template struct{ role, value string }

// templates name the topics, each once.
func (p Params) templates() []template {
	all := []template{{"unique", p.Unique.Topic}}
	if !p.Duplicate.Drop && !p.Together() {
		all = append(all, template{"duplicate", p.Duplicate.Topic})
	}
	if all = append(all, template{"rejected", p.Rejected.Topic}); p.Verdicts.Topic != "" {
		all = append(all, template{"verdicts", p.Verdicts.Topic})
	}
	if p.Clusters.Topic != "" {
		all = append(all, template{"clusters", p.Clusters.Topic})
	}
	return all
}

// Nowhere says that a text is not a name of a topic, but a word for none.
func Nowhere(text string) bool {
	return slices.Contains([]string{"drop", "none", "false", "null"}, strings.ToLower(text))
}

func wrongTemplate(role, template string) (setting.Mistake, bool) {
	key, rest := role+".topic", strings.ReplaceAll(template, Placeholder, "")
	write := "write a topic, for example " + Placeholder + "." + role
	switch {
	case template == "":
		return setting.Wrong(key, "", "is missing", write), true
	case Nowhere(template) && role == "duplicate":
		return setting.Wrong(key, template, "is no topic", "to write duplicates nowhere: outputs.duplicate: {drop: true}"), true
	case Nowhere(template) && (role == "verdicts" || role == "clusters"):
		return setting.Wrong(key, template, "is no topic", "leave it empty to have none"), true
	case Nowhere(template):
		return setting.Wrong(key, template, "is no topic: only duplicates can be dropped", write), true
	case rest == "" || strings.Trim(rest, ".") == "" && rest == template:
		return setting.Wrong(key, template, "is not a topic of its own", "write for example "+Placeholder+"."+role), true
	case !setting.IsName(rest):
		return setting.Wrong(key, template, "holds characters that topic names cannot have",
			"use letters, digits, '.', '_' and '-', and "+Placeholder+" for the source topic"), true
	case len(rest) > maxTopicBytes:
		return setting.Wrong(key, template, "is too long", "Kafka's topic names have 249 characters at most"), true
	}
	return setting.Mistake{}, false
}

// ParseCoordinates reads TOPIC/PARTITION/OFFSET as HeaderSource and HeaderMatch have it. It is false for what they would not
// have.
func ParseCoordinates(s string) (of entry.PartitionName, offset int64, ok bool) {
	at := strings.LastIndexByte(s, '/')
	of, ok = entry.ParseName(s[:max(at, 0)])
	offset, err := strconv.ParseInt(s[at+1:], 10, 64)
	return of, offset, ok && err == nil && string(appendCoordinates(nil, of.Topic, of.Partition, offset)) == s
}

// SourceOf says for which source topic a topic is an output, by the names alone: the first one that may returns true
// for. Role says which output it is. An output without the placeholder is one of any source; source is empty then.
func (p Params) SourceOf(topic string, may func(source string) bool) (source, role string, ok bool) {
	for _, t := range p.templates() {
		source, is := t.sourceOf(topic)
		if is && (source == "" || may(source)) {
			return source, t.role, true
		}
	}
	return "", "", false
}

// sourceOf returns the source topic of which the template makes a topic.
func (t template) sourceOf(topic string) (source string, ok bool) {
	before, _, holds := strings.Cut(t.value, Placeholder)
	if !holds {
		return "", topic == t.value
	}
	n := strings.Count(t.value, Placeholder)
	length := len(topic) - (len(t.value) - n*len(Placeholder))
	if length <= 0 || length%n != 0 {
		return "", false
	}
	if length /= n; len(before)+length > len(topic) {
		return "", false
	}
	source = topic[len(before) : len(before)+length]
	return source, named(t.value, source) == topic
}
