package config

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/document/registry"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

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
// the rooms' Params say which these are. Of a file with a schema, and of a list
// of what is ignored, it has the fingerprint.
func (c Config) Settings() []byte {
	sections := map[string]any{}
	c.Sources = slices.Clone(c.Sources)
	for i := range c.Sources {
		p := c.Sources[i].Reading.Normal()
		c.Sources[i].Reading = p
		sections[pinOf(i)] = pinned{p.Schema.Fingerprint}
	}
	sections[""], sections[index.IgnoreKey] = c, c.Judge.Duplicates.Ignored
	return setting.Canonical(index.SettingsVersion+" "+c.Judge.Version(), sections)
}

// AdvancedParams are what nearly nobody sets.
type AdvancedParams struct {
	Membership       consumer.Membership `key:""`
	PassAfter        time.Duration       `key:"pass_after" doc:"after the journal has not answered for so long, forward documents to unique unchecked, marked by a header, and remember them later; 0s lets them wait" example:"30s"`
	MaxDocumentBytes setting.Bytes       `key:"max_document_bytes" doc:"a larger text is rejected (too_large): with raw and html the whole value, else the joined fields. It also bounds an output record with its key and headers (1MiB at least). A journal entry may be as large (256KiB at least), and with char:K four times as large. A batch of the source may have twice as much (32MiB at least), a fetch as well (16MiB at least)" example:"1MiB" verdict:"true"`
}

// DefaultAdvancedParams are the defaults.
func DefaultAdvancedParams() AdvancedParams {
	return AdvancedParams{Membership: consumer.DefaultParams().Membership, MaxDocumentBytes: setting.MiB}
}

// Validate returns everything that is wrong.
func (p AdvancedParams) Validate() []setting.Mistake {
	m := p.Membership.Validate()
	if p.PassAfter != 0 && (p.PassAfter < time.Second || p.PassAfter > time.Hour) {
		m = append(m, setting.Wrong("pass_after", p.PassAfter, "is out of range", "write 1s to 1h, or 0s to have documents wait"))
	}
	if p.MaxDocumentBytes < 1 || p.MaxDocumentBytes > entry.MaxText {
		m = append(m, setting.Wrong("max_document_bytes", p.MaxDocumentBytes, "is out of range",
			"write 1 to "+setting.Bytes(entry.MaxText).String()))
	}
	return m
}

// The least of what follows from the largest document. Kafka's topics accept 12 bytes more than leastRecord by default.
const (
	leastRecord = setting.MiB       // of an output record
	leastEntry  = 256 * setting.KiB // of an entry of the journal
	leastBatch  = 32 * setting.MiB  // of one batch of the source in memory
	leastFetch  = 16 * setting.MiB  // of what a session asks one broker for
)

// spread gives the rooms what follows from the advanced settings. It is called whenever these have changed.
func (c *Config) spread() {
	c.Consumer.Membership, c.Journal.PassAfter = c.Advanced.Membership, c.Advanced.PassAfter
	largest := c.Advanced.MaxDocumentBytes
	c.Sink.MaxRecordBytes = max(leastRecord, largest)
	c.Journal.MaxEntryBytes = max(leastEntry, largest*c.growth())
	c.Consumer.MaxBatchBytes = max(leastBatch, 2*largest)
	c.Consumer.FetchBytes = max(leastFetch, 2*largest)
}

// growth is how many times the bytes of its text an entry may take. It keeps up to 29 bits of each run of characters, and a
// text has about as many runs as bytes.
func (c *Config) growth() setting.Bytes {
	if shingling, err := c.Judge.Duplicates.Shingling(); err == nil && shingling.Chars() > 0 {
		return 4
	}
	return 1
}

// wrongEntry refuses documents of a service whose entries no journal takes.
func (c *Config) wrongEntry() []setting.Mistake {
	largest, most := c.Advanced.MaxDocumentBytes, journal.MostEntryBytes/c.growth()
	if largest <= most || largest > entry.MaxText { // that is reported already
		return nil
	}
	return []setting.Mistake{setting.Wrong("advanced.max_document_bytes", largest,
		"is too large for runs of characters, of which the journal keeps up to four times the text, and "+journal.MostEntryBytes.String()+" at most",
		"write "+most.String()+" or less, or duplicates.shingle: word:3")}
}

// FromSettings returns the configuration from the text that Settings wrote, as the journal and snapshots carry it.
// Settings that decide no verdict have their defaults. The text may come from a version whose settings have another
// meaning. It is good enough to read what that version stored; before judging by it, compare fingerprints.
func FromSettings(text []byte) (Config, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(text, &values); err != nil {
		return Config{}, fmt.Errorf("read settings: %w", err)
	}
	c := Default()
	delete(values, "version")
	pins, err := takePins(values)
	if err == nil {
		err = setCanonical(&c, values)
	}
	if err != nil {
		return Config{}, fmt.Errorf("read settings: %w", err)
	}
	c.spread()
	c.Judge.Duplicates.Ignored.Fingerprint = pins[index.IgnoreKey]
	for i := range c.Sources {
		c.Sources[i].Reading.Schema.Fingerprint = pins[pinOf(i)]
	}
	return c, nil
}

// setCanonical sets the settings below params that decide verdicts from the values that setting.Canonical wrote. A list
// of sections that decides verdicts has the elements that are written.
func setCanonical(params any, values map[string]json.RawMessage) (err error) {
	keys := slices.Sorted(maps.Keys(values))
	setting.Walk(params, func(f setting.Field) {
		raw, given := values[f.Key]
		switch {
		case f.Repeated() && f.Decides():
			f.Resize(written(keys, f.Key))
		case f.Element() && f.Decides() && string(raw) == setting.Untold:
			delete(values, f.Key)
		case given && f.Verdict && err == nil:
			delete(values, f.Key)
			err = f.SetJSON(raw)
		}
	})
	for key := range values {
		return cmp.Or(err, fmt.Errorf("this version does not know %q", key))
	}
	return err
}

// written returns how many elements of a list are written. Each has a key: its own, or that of one of its settings.
func written(sorted []string, list string) int {
	for n := 0; ; n++ {
		element := fmt.Sprintf("%s[%d]", list, n)
		if i, _ := slices.BinarySearch(sorted, element); i == len(sorted) || !strings.HasPrefix(sorted[i], element) {
			return n
		}
	}
}
