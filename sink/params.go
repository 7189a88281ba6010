package sink

import (
	"strings"

	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/unecho/unecho/index/setting"
)

// Params say which topics records are forwarded to, and how.
type Params struct {
	Unique            string        `key:"unique" doc:"topic of unique documents; {source} is the source topic" called:"topic" example:"{source}.unique"`
	Duplicate         string        `key:"duplicate" doc:"topic of duplicates; {source} is the source topic; none sends them to the unique topic, where only their headers tell them apart" called:"topic" example:"{source}.duplicate"`
	Rejected          string        `key:"rejected" doc:"topic of documents that could not be judged; {source} is the source topic" called:"topic" example:"{source}.rejected"`
	Metadata          string        `key:"metadata" doc:"where to read what was found: in the headers alone, or also in a topic with a JSON record for each document (sink.verdicts), for consumers that cannot read headers" enum:"headers|topic"`
	Verdicts          string        `key:"verdicts" doc:"with sink.metadata: topic, the topic of those records; {source} is the source topic" example:"{source}.verdicts"`
	DryRun            bool          `key:"dry_run" doc:"judge and count, and forward nothing"`
	Create            bool          `key:"create" doc:"create missing output topics, with the partition count of the source"`
	MaxRecordBytes    setting.Bytes `key:"max_record_bytes" doc:"documents that would be larger as an output record, headers included, are rejected; no more than max.message.bytes of the output topics" example:"1MiB" verdict:"true"`
	Compression       string        `key:"compression" doc:"how batches of output records are compressed"`
	ReplicationFactor int           `key:"replication_factor" doc:"replicas of output topics that are created; -1 is the broker's default"`
}

// MinRecordBytes is the least max_record_bytes. A record whose value, key and headers are all withheld fits into it,
// whatever the names in our headers.
const MinRecordBytes = 8 * setting.KiB

// maxRecordBytes is the greatest max_record_bytes: record lengths are 32 bits on the wire, and Kafka clients refuse
// requests beyond 100 MiB.
const maxRecordBytes = 96 * setting.MiB

const placeholder = "{source}"

// None is the word in place of the duplicates' topic that sends them to the topic of the unique documents.
const None = "none"

// The words of Metadata.
const (
	metadataHeaders = "headers"
	MetadataTopic   = "topic"
)

// DefaultParams returns the defaults. Kafka's topics accept 12 bytes more than 1 MiB by default.
func DefaultParams() Params {
	return Params{
		Unique:            placeholder + ".unique",
		Duplicate:         placeholder + ".duplicate",
		Rejected:          placeholder + ".rejected",
		Metadata:          metadataHeaders,
		Verdicts:          placeholder + ".verdicts",
		Create:            true,
		MaxRecordBytes:    setting.MiB,
		Compression:       "snappy",
		ReplicationFactor: -1,
	}
}

// Topics returns the outputs of a source topic. Where duplicates have no topic of their own, it is that of the unique
// documents.
func (p Params) Topics(source string) (unique, duplicate, rejected string) {
	name := func(template string) string { return named(template, source) }
	if unique, duplicate, rejected = name(p.Unique), name(p.Duplicate), name(p.Rejected); p.Duplicate == None {
		duplicate = unique
	}
	return unique, duplicate, rejected
}

func named(template, source string) string { return strings.ReplaceAll(template, placeholder, source) }

// VerdictsTopic returns the topic that has a record about each document of a source topic. It is empty if there is
// none.
func (p Params) VerdictsTopic(source string) string {
	if p.Metadata != MetadataTopic {
		return ""
	}
	return named(p.Verdicts, source)
}

// All returns all topics that are written for a source topic, each once: its outputs, and that of the verdicts.
func (p Params) All(source string) []string {
	all := p.Outputs(source)
	if verdicts := p.VerdictsTopic(source); verdicts != "" {
		all = append(all, verdicts)
	}
	return all
}

// Outputs returns the topics that take the documents of a source topic, each once.
func (p Params) Outputs(source string) []string {
	unique, duplicate, rejected := p.Topics(source)
	if duplicate == unique {
		return []string{unique, rejected}
	}
	return []string{unique, duplicate, rejected}
}

// codec is a way to compress output records.
type codec struct {
	name  string // the word in the settings
	codec kgo.CompressionCodec
}

func codecs() []codec {
	return []codec{
		{"none", kgo.NoCompression()},
		{"snappy", kgo.SnappyCompression()},
		{"lz4", kgo.Lz4Compression()},
		{"zstd", kgo.ZstdCompression()},
		{"gzip", kgo.GzipCompression()},
	}
}

// Choices returns the words of a setting whose words come from a table.
func (Params) Choices(key string) []string {
	var words []string
	if key == "compression" {
		for _, c := range codecs() {
			words = append(words, c.name)
		}
	}
	return words
}

// Codec returns the compression of output records; ok is false for an unknown name.
func (p Params) Codec() (found kgo.CompressionCodec, ok bool) {
	for _, c := range codecs() {
		if c.name == p.Compression {
			return c.codec, true
		}
	}
	return kgo.NoCompression(), false
}

// Validate returns every mistake.
func (p Params) Validate() []setting.Mistake {
	var out []setting.Mistake
	seen := map[string]string{}
	for _, t := range p.templates() {
		if m, ok := wrongTemplate(t.key, t.value); ok {
			out = append(out, m)
			continue
		}
		if other, ok := seen[t.value]; ok {
			out = append(out, setting.Wrong(t.key, t.value, "is the topic of "+other+" as well",
				"give each output a topic of its own"))
			continue
		}
		seen[t.value] = t.key
	}
	if p.MaxRecordBytes < MinRecordBytes || p.MaxRecordBytes > maxRecordBytes {
		out = append(out, setting.Wrong("max_record_bytes", p.MaxRecordBytes, "is out of range",
			"write a size from "+MinRecordBytes.String()+" to "+maxRecordBytes.String()))
	}
	out = append(out, setting.Misspelt(p)...)
	if p.ReplicationFactor != -1 && (p.ReplicationFactor < 1 || p.ReplicationFactor > 32767) {
		out = append(out, setting.Wrong("replication_factor", p.ReplicationFactor, "is no number of replicas",
			"write 1 or more, or -1 for the broker's default"))
	}
	return out
}

type template struct{ key, value string }

// templates are the settings that name topics.
func (p Params) templates() []template {
	all := []template{{"unique", p.Unique}}
	if p.Duplicate != None {
		all = append(all, template{"duplicate", p.Duplicate})
	}
	if all = append(all, template{"rejected", p.Rejected}); p.Metadata == MetadataTopic {
		all = append(all, template{"verdicts", p.Verdicts})
	}
	return all
}

func wrongTemplate(key, template string) (setting.Mistake, bool) {
	rest := strings.ReplaceAll(template, placeholder, "")
	switch {
	case template == "":
		return setting.Wrong(key, "", "is missing", "write a topic, for example "+placeholder+"."+key), true
	case template == None:
		return setting.Wrong(key, template, "is no topic: only sink.duplicate can be none",
			"write a topic, for example "+placeholder+"."+key), true
	case rest == "" || strings.Trim(rest, ".") == "" && rest == template:
		return setting.Wrong(key, template, "is not a topic of its own", "write for example "+placeholder+"."+key), true
	case !setting.IsName(rest):
		return setting.Wrong(key, template, "holds characters that topic names cannot have",
			"use letters, digits, '.', '_' and '-', and "+placeholder+" for the source topic"), true
	case len(rest) > maxTopicBytes:
		return setting.Wrong(key, template, "is too long", "Kafka's topic names have 249 characters at most"), true
	}
	return setting.Mistake{}, false
}
