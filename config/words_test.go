package config

import (
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index/setting"
)

// mistakesOf returns what is told of a configuration file with this text, without what it lacks.
func mistakesOf(text string) string {
	c := Default()
	l := newLoader(&c, "f.yaml")
	l.decode([]byte(text))
	return l.mistakes.sorted().Error()
}

// Each word stands for a key that there is, and is told wherever it stands, in each way to write it.
func TestWordsOfOtherTools(t *testing.T) {
	c := Default()
	l := newLoader(&c, "")
	known := l.known
	seen := map[string]string{}
	for _, w := range words() {
		if !slices.Contains(known, w.ours) {
			t.Errorf("%s is no key", w.ours)
		}
		for _, their := range w.theirs {
			if other := seen[setting.Fold(their)]; other != "" {
				t.Errorf("%s stands for %s and for %s", their, other, w.ours)
			}
			seen[setting.Fold(their)] = w.ours
			if slices.Contains(known, their) {
				t.Errorf("%s is a key of ours: nothing is told of it", their)
			}
			for _, key := range []string{their, strings.ReplaceAll(their, ".", "_"), "tool." + their} {
				want := "unknown key; did you mean " + l.shape[w.ours].Key + "?"
				if got := mistakesOf(key + ": [x]"); !strings.HasSuffix(got, want) && !slices.Contains(known, key) {
					t.Errorf("%s: %s; want %s", key, got, want)
				}
			}
		}
	}
}

func TestKeysThatWereMeant(t *testing.T) {
	for text, want := range map[string]string{
		"sources: [{topic: news}]":                 "sources[0].topic: unknown key; did you mean sources[0].topics?",
		"bootstrap_servers: [a:1]":                 "did you mean kafka.brokers?",
		"kafka: {bootstrap.servers: a:1}":          "kafka.bootstrap.servers: unknown key; did you mean kafka.brokers?",
		"kafka: {bootstrapServers: a:1}":           "did you mean kafka.brokers?",
		"kafka: {brokrs: [a:1]}":                   "did you mean kafka.brokers?",
		"sasl: {user: u}":                          "sasl.user: unknown key; did you mean kafka.sasl.username?",
		"kafka: {sasl: {user: u}}":                 "did you mean kafka.sasl.username?",
		"kafka: {sasl: {pass: u}}":                 "did you mean kafka.sasl.password?",
		"kafka: {group: g}":                        "did you mean group?",
		"duplicates: {remember: {ttl: 1d}}":        "did you mean duplicates.remember.age?",
		"duplicates: {remember: {max_age: 1d}}":    "did you mean duplicates.remember.age?",
		"ops: {port: 9464}":                        "did you mean http.listen?",
		"advanced: {member:g}":                     "advanced.member: has no space behind its colon; write one before the value",
		"consumer:\n  group: g\n   sessions: 2":    "indent the keys of a section alike, and put texts with a colon and a space in quotes",
		"kafak: {brokers: [a:1], nothing: 1}":      "f.yaml:1: kafak: unknown key; did you mean kafka?",
		"duplicates: {treshold: 1}":                "did you mean duplicates.threshold?",
		"duplicatez: {threshold: 1}":               "did you mean duplicates?",
		"threshold: 0.8":                           "did you mean duplicates.threshold?",
		"sink: {uniq: a}":                          "did you mean outputs.unique?",
		"log: {lvl: info}":                         "log.lvl: unknown key; `unecho config init --full` prints all keys",
		"mood: good":                               "mood: unknown key; `unecho config init --full` prints all keys",
		"kafka: {tls: true}":                       "kafka.tls: is a section, not a value; write tls: {enabled: true}, or its other keys below it, indented",
		"xy: {}":                                   "xy: unknown key; `unecho config init --full` prints all keys",
		"snapshot: {dir: d}":                       "did you mean snapshots?",
		"inputs: [{topic: news}]":                  "inputs: unknown key; did you mean sources?",
		"transforms: &t {a: {filter: x}, b: *t}":   "transforms.a.filter: unknown key; did you mean sources[].when?\nf.yaml:1: transforms.b: unknown key; `unecho config init --full` prints all keys",
		"logger: {level: INFO}":                    "logger.level: unknown key; did you mean log.level?",
		"output: {kafka: {topic: x, max_age: 1d}}": "f.yaml:1: output: unknown key; did you mean outputs?",
		"input:\n  kafka_franz:\n    seed_brokers: [a:1]\n    topics: [news]\n    consumer_group: g": "f.yaml:3: input.kafka_franz.seed_brokers: unknown key; did you mean kafka.brokers?\n" +
			"f.yaml:4: input.kafka_franz.topics: unknown key; did you mean sources[].topics?\n" +
			"f.yaml:5: input.kafka_franz.consumer_group: unknown key; did you mean group?",
	} {
		if got := mistakesOf(text); !strings.HasSuffix(got, want) || strings.Count(got, "\n") != strings.Count(want, "\n") {
			t.Errorf("%s:\n%s\nwant %s", text, got, want)
		}
	}
}

func TestVariablesThatWereMeant(t *testing.T) {
	for name, want := range map[string]string{
		"UNECHO_KAFKA_BOOTSTRAP_SERVERS": "did you mean UNECHO_KAFKA_BROKERS?",
		"UNECHO_GROUP_ID":                "did you mean UNECHO_GROUP?",
		"UNECHO_PORT":                    "did you mean UNECHO_HTTP_LISTEN?",
		"UNECHO_DUPLICATES_REMEMBER_AEG": "did you mean UNECHO_DUPLICATES_REMEMBER_AGE?",
		"UNECHO_SINKS":                   "remove it: variables that begin with UNECHO_ are settings",
	} {
		_, err := Load("", []string{name + "=9464"}, nil)
		if err == nil || !strings.Contains(err.Error(), name+": unknown variable; "+want) {
			t.Errorf("%s: %v; want %s", name, err, want)
		}
	}
}
