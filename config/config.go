package config

import (
	"slices"

	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/document/registry"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

// SettingsVersion stands for the meaning of the settings that decide verdicts. It rises when the same settings begin to
// decide differently, so that members of both versions refuse to run together.
const SettingsVersion = "2"

// Config is every setting of the program, by room.
type Config struct {
	Consumer consumer.Params   `key:""` // group and succeeds
	Kafka    broker.Params     `key:"kafka" doc:"How Kafka is reached."`
	Sources  []document.Source `key:"sources" doc:"Which topics are read, and how a record becomes a document. A topic belongs to the source that names it, else to the first whose pattern fits."`
	Registry registry.Params   `key:"schema_registry" doc:"Where the schemas are that values name. A schema is asked for once and never changes."`
	Judge    index.Params      `key:""`  // the sections duplicates and normalize
	Journal  journal.Params    `key:"-"` // follows from the others
	Sink     sink.Params       `key:"outputs" doc:"Where documents go."`
	Snapshot SnapshotParams    `key:"snapshots" doc:"Where snapshots of the index are kept, from which a member starts."`
	HTTP     HTTPParams        `key:"http" doc:"Health, metrics, the page and the API."`
	Log      LogParams         `key:"log" doc:"Logs, on standard error."`
	Advanced AdvancedParams    `key:"advanced" doc:"Settings that hardly anybody needs." advanced:"true"`

	AnyTopics bool `key:"-"` // for verbs that are told the topics otherwise: sources need not name any
}

// Default returns the configuration before anything is set.
func Default() Config {
	return Config{
		Kafka:    broker.DefaultParams(),
		Registry: registry.DefaultParams(),
		Judge:    index.DefaultParams(),
		Journal:  journal.DefaultParams(),
		Sink:     sink.DefaultParams(),
		Snapshot: DefaultSnapshotParams(),
		Consumer: consumer.DefaultParams(),
		HTTP:     HTTPParams{Listen: "127.0.0.1:9464", Ingest: IngestParams{Rate: 1000}},
		Log:      LogParams{Level: "info", Format: "auto"},
		Advanced: DefaultAdvancedParams(),
	}
}

// Validate returns everything that a room finds wrong or missing.
func (c Config) Validate() []setting.Mistake {
	return slices.Concat(
		c.Consumer.Validate(),
		setting.Under("kafka", c.Kafka.Validate()),
		setting.Under("schema_registry", c.Registry.Validate()),
		c.wrongSources(),
		c.Judge.Validate(),
		setting.Under("outputs", c.Sink.Validate()),
		setting.Under("snapshots", c.Snapshot.Validate()),
		setting.Under("http", c.HTTP.Validate()),
		setting.Under("advanced", c.Advanced.Validate()),
		consumer.Loops(c.Consumer, c.Sources, c.Sink),
	)
}

// AsBegun returns c with the settings that it leaves open as a group's journal was begun with them. Text is that of the
// journal, or nil: then they are planned.
func (c Config) AsBegun(text []byte) (Config, error) {
	var err error
	c.Judge, err = c.Judge.AsBegun(text)
	return c, err
}

// Settings returns the canonical text of every setting that decides verdicts, as the journal declares it. The tags of
// the rooms' Params say which these are. Of a file with a schema it has the fingerprint.
func (c Config) Settings() []byte {
	sections := map[string]any{}
	c.Sources = slices.Clone(c.Sources)
	for i := range c.Sources {
		p := c.Sources[i].Reading.Normal()
		c.Sources[i].Reading = p
		sections[pinOf(i)] = pinned{p.Schema.Fingerprint}
	}
	sections[""] = c
	return setting.Canonical(SettingsVersion+" "+c.Judge.Version(), sections)
}
