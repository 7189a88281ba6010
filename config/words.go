package config

import (
	"slices"
	"strings"

	"github.com/unecho/unecho/index/setting"
)

// A word is a key that other tools have for a setting of ours.
type word struct {
	ours   string
	theirs []string
}

// words are those of librdkafka, Kafka Connect, Vector and Redpanda Connect. It does not matter where they join the parts
// of a word: bootstrap.servers is bootstrap_servers. Of two words that a key ends with the longer one counts.
func words() []word {
	return []word{
		{"kafka.brokers", []string{
			"bootstrap.servers", "bootstrap.server", "bootstrap", "seed_brokers", "addresses",
			"metadata.broker.list", "broker", "hosts", "kafka.host", "kafka.address", "kafka.servers",
		}},
		{"kafka.tls.enabled", []string{"security.protocol", "tls", "ssl", "enable_tls"}},
		{"kafka.tls.ca_file", []string{"ssl.ca.location", "ssl.cafile", "ssl.truststore.location", "root_cas_file", "tls.ca"}},
		{"kafka.tls.cert_file", []string{"ssl.certificate.location", "ssl.keystore.location", "crt_file", "tls.cert"}},
		{"kafka.tls.key_file", []string{"ssl.key.location", "tls.key"}},
		{"kafka.tls.insecure_skip_verify", []string{
			"skip_cert_verify", "verify_certificate", "verify_hostname", "enable.ssl.certificate.verification",
		}},
		{"kafka.client_rack", []string{"client.rack", "rack.id"}},
		{"kafka.sasl.mechanism", []string{"sasl", "sasl.mechanism", "sasl.mechanisms"}},
		{"kafka.sasl.username", []string{"sasl.user", "sasl.username", "user", "username", "sasl.jaas.config"}},
		{"kafka.sasl.password", []string{"sasl.password", "sasl.pass", "password"}},
		{"kafka.sasl.oauth.token_url", []string{"sasl.oauthbearer.token.endpoint.url", "token_endpoint"}},
		{"kafka.sasl.oauth.client_id", []string{"sasl.oauthbearer.client.id"}},
		{"kafka.sasl.oauth.client_secret", []string{"sasl.oauthbearer.client.secret"}},
		{"kafka.sasl.oauth.scopes", []string{"sasl.oauthbearer.scope"}},
		{"sources", []string{"source", "input", "inputs", "consumer.topics"}},
		{"sources.topics", []string{"topic", "topics", "input_topics", "source_topic"}},
		{"sources.pattern", []string{"topics.regex", "topic_pattern", "topic_regex", "regexp_topics", "regex"}},
		{"sources.start", []string{"auto.offset.reset", "offset_reset", "start_from_oldest", "start_offset"}},
		{"sources.when", []string{"filter", "filters", "condition", "conditions"}},
		{"sources.format", []string{"codec", "decoding.codec", "decoding", "value.converter"}},
		{"sources.text", []string{"fields", "text_field", "text_fields", "field", "columns"}},
		{"sources.id", []string{"id", "id_field", "key_field", "document_id"}},
		{"sources.scope", []string{"scope", "tenant", "namespace", "group_by", "partition_by"}},
		{"schema_registry.urls", []string{"schema.registry.url", "registry", "registry.url"}},
		{"duplicates.threshold", []string{"min_similarity", "similarity_threshold"}},
		{"duplicates.remember.age", []string{"ttl", "retention", "retention.ms", "max_age", "cache_ttl", "window.size", "window.duration"}},
		{"duplicates.remember.memory", []string{"memory", "max_memory", "memory_limit", "window.memory"}},
		{"group", []string{"group.id", "consumer_group", "consumer_group_id", "application.id"}},
		{"advanced.sessions", []string{"threads", "workers", "num.stream.threads", "tasks.max", "parallelism", "concurrency"}},
		{"outputs", []string{"sink", "sinks", "output"}},
		{"outputs.unique.topic", []string{"output.topic", "output.kafka.topic", "sink.topic"}},
		{"outputs.rejected.topic", []string{
			"dead_letter_queue", "dead_letter_topic", "dlq", "error_topic",
			"errors.deadletterqueue.topic.name",
		}},
		{"snapshots.directory.path", []string{"data_dir", "state.dir", "checkpoint", "checkpoints", "checkpoint_dir"}},
		{"snapshots.postgres.url", []string{"database", "database_url", "dsn", "postgres", "postgres.url"}},
		{"snapshots.s3.bucket", []string{"s3", "bucket", "s3_bucket", "aws_s3"}},
		{"http.listen", []string{
			"port", "host", "bind", "address", "http.port", "http.address", "api.address", "listeners",
			"metrics", "metrics.port",
		}},
		{"http.token", []string{"api_key", "auth_token"}},
		{"log.level", []string{"logger.level", "logging.level", "log_level", "logger", "logging"}},
		{"log.format", []string{"logger.format", "logging.format", "log_format"}},
	}
}

// theirs returns our key for a key of another tool: the one for the longest end of key, of at least so many parts, that
// is one of the words.
func theirs(key string, parts int) (string, bool) {
	for end := key; strings.Count(end, ".") >= parts-1; {
		for _, w := range words() {
			if slices.ContainsFunc(w.theirs, func(their string) bool { return setting.Fold(their) == setting.Fold(end) }) {
				return w.ours, true
			}
		}
		_, rest, more := strings.Cut(end, ".")
		if !more {
			break
		}
		end = rest
	}
	return "", false
}

// misspelt says whether an unknown key is a section with a slip in its name.
func (l *loader) misspelt(key string) bool {
	key = setting.Plain(key)
	near, _ := setting.Nearest(key, l.known)
	section, name := setting.CutLast(key)
	s, n := setting.CutLast(near)
	_, opens := l.sections[near]
	return opens && s == section && setting.Distance(name, n) <= max(1, len(name)/3)
}

// probably returns the key that an unknown one was probably meant to be: a word of another tool; a misspelt key of the
// same section; the last part as such a word; a key of another section.
func (l *loader) probably(key string) (string, bool) {
	if ours, ok := theirs(key, 2); ok && slices.Contains(l.known, ours) {
		return ours, true
	}
	section, name := setting.CutLast(key)
	near, found := setting.Nearest(key, l.known)
	s, n := setting.CutLast(near)
	if found && s == section && setting.Distance(name, n) <= 1 {
		return near, true
	}
	if ours, ok := theirs(key, 1); ok && slices.Contains(l.known, ours) {
		return ours, true
	}
	return near, found
}
