package config

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer"
	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/entry"
	"github.com/unecho/unecho/index/setting"
	"github.com/unecho/unecho/sink"
)

func TestFromSettings(t *testing.T) {
	c := Default()
	c.Judge.Duplicates.Slots, c.Judge.Duplicates.Threshold, c.Judge.Duplicates.Remember.Age = 256, 0.75, 36*time.Hour
	c.Sources = []document.Source{document.DefaultSource(), document.DefaultSource()}
	read := &c.Sources[1].Reading
	read.Fields, read.Scope, read.Schema.Fingerprint = []string{"a,b", "c"}, "header:tenant", "sha256:0f3c6ad1e2b94c57"
	read.When = []document.Condition{{Header: "lang", Equals: "en"}, {SizeAtLeast: setting.KiB}}
	for _, c := range []Config{Default(), c} {
		got, err := FromSettings(c.Settings())
		if err != nil || string(got.Settings()) != string(c.Settings()) {
			t.Errorf("%s became %s, %v", c.Settings(), got.Settings(), err)
		}
	}
	other := strings.Replace(string(c.Settings()), index.SettingsVersion+" ", "later ", 1)
	if got, err := FromSettings([]byte(other)); err != nil || got.Judge.Duplicates.Slots != 256 {
		t.Errorf("of another version: %v", err)
	}
	for text, part := range map[string]string{
		"":                                   "read settings",
		"[]":                                 "read settings",
		`{"duplicates.colour":"red"}`:        "duplicates.colour",
		`{"duplicates.remember.age":"long"}`: "duplicates.remember.age",
		`{"sources[0].text":"one"}`:          "sources[0].text",
	} {
		if _, err := FromSettings([]byte(text)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

func FuzzFromSettings(f *testing.F) {
	f.Add(Default().Settings())
	f.Add([]byte(`{"version":"0","duplicates.remember.age":"1h"}`))
	f.Add([]byte(`{"sources[0].text":[null]}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		c, err := FromSettings(text)
		if err != nil {
			return
		}
		if again, err := FromSettings(c.Settings()); err != nil || string(again.Settings()) != string(c.Settings()) {
			t.Fatalf("%s became %s, %v", c.Settings(), again.Settings(), err)
		}
	})
}

// What means the same of sources is the same settings, in whatever order. The content of a schema's file is one of them.
func TestSourcesInSettings(t *testing.T) {
	with := func(edit func(*document.Params)) string {
		c := Default()
		c.Sources = []document.Source{document.DefaultSource()}
		edit(&c.Sources[0].Reading)
		return string(c.Settings())
	}
	if text := with(func(*document.Params) {}); strings.Contains(text, "when") || strings.Contains(text, "schema") {
		t.Errorf("without conditions and schemas they are %s", text)
	}
	lang, size := document.Condition{Header: "lang", Equals: "en"}, document.Condition{SizeAtLeast: setting.KiB}
	one := with(func(p *document.Params) { p.When = []document.Condition{lang, size} })
	if !strings.Contains(one, `"sources[0].when[0].size_at_least":"1KiB"`) || !strings.Contains(one, `"sources[0].when[1].equals":"en"`) {
		t.Errorf("got %s", one)
	}
	if other := with(func(p *document.Params) { p.When = []document.Condition{size, lang, size} }); other != one {
		t.Errorf("%s and %s mean the same", one, other)
	}
	if other := with(func(p *document.Params) { p.When = []document.Condition{size} }); other == one {
		t.Error("other conditions are the same settings")
	}
	a := with(func(p *document.Params) { p.Schema.File, p.Schema.Fingerprint = "a", "sha256:a" })
	if b := with(func(p *document.Params) { p.Schema.File, p.Schema.Fingerprint = "a", "sha256:b" }); a == b {
		t.Errorf("files that differ are the same settings: %s", a)
	}
	if b := with(func(p *document.Params) { p.Schema.File, p.Schema.Fingerprint = "elsewhere", "sha256:a" }); a != b {
		t.Errorf("one file in two places is %s and %s", a, b)
	}
}

// What the rooms take by themselves is what follows from the default.
func TestRoomsKnowTheDefault(t *testing.T) {
	c := Default()
	c.spread()
	if !reflect.DeepEqual(c, Default()) || c.Advanced.MaxDocumentBytes != document.DefaultParams().MaxBytes ||
		c.Sink.MaxRecordBytes != sink.DefaultParams().MaxRecordBytes || c.Consumer.FetchBytes != consumer.DefaultParams().FetchBytes ||
		c.Consumer.MaxBatchBytes != consumer.DefaultParams().MaxBatchBytes ||
		c.Journal.MaxEntryBytes != journal.DefaultParams().MaxEntryBytes {
		t.Errorf("the defaults of the rooms are not those of advanced: %+v", c)
	}
}

// One size says what all others are, and each of them has room for the largest document.
func TestSizesFollow(t *testing.T) {
	const mib = setting.MiB
	for text, want := range map[string][5]setting.Bytes{
		"1":      {1, mib, mib / 4, 32 * mib, 16 * mib},
		"975KiB": {975 * setting.KiB, mib, 975 * setting.KiB, 32 * mib, 16 * mib},
		"1MiB":   {mib, mib, mib, 32 * mib, 16 * mib},
		"8MiB":   {8 * mib, 8 * mib, 8 * mib, 32 * mib, 16 * mib},
		"64MiB":  {64 * mib, 64 * mib, 64 * mib, 128 * mib, 128 * mib},
	} {
		c, err := Load("", nil, append([]string{"advanced.max_document_bytes=" + text}, least()...))
		got := [5]setting.Bytes{
			c.Readings()[0].Reading.MaxBytes, c.Sink.MaxRecordBytes, c.Journal.MaxEntryBytes, c.Consumer.MaxBatchBytes, c.Consumer.FetchBytes,
		}
		if err != nil || got != want {
			t.Errorf("of %s follow %v, error %v; want %v", text, got, err, want)
		}
		if back, err := FromSettings(c.Settings()); err != nil || back.Sink.MaxRecordBytes != want[1] {
			t.Errorf("read from the journal, of %s follows %v, error %v; want %v", text, back.Sink.MaxRecordBytes, err, want[1])
		}
	}
	for _, text := range []string{"0", "65MiB"} {
		_, err := Load("", nil, append([]string{"advanced.max_document_bytes=" + text}, least()...))
		if err == nil || !strings.Contains(err.Error(), "write 1 to 64MiB") {
			t.Errorf("%s: error %v, want the range", text, err)
		}
	}
}

// An entry keeps more of runs of characters than the text has bytes. It fits all the same, for each text that a service takes.
func TestEntryOfCharactersFits(t *testing.T) {
	const most = 300 * setting.KiB
	set := func(text string) []string {
		return append([]string{"duplicates.shingle=char:5", "duplicates.weighted=true", "advanced.max_document_bytes=" + text}, least()...)
	}
	c, err := Load("", nil, set(most.String()))
	if err != nil {
		t.Fatal(err)
	}
	signer, err := index.NewSigner(c.Judge)
	if err != nil {
		t.Fatal(err)
	}
	letters, r := make([]byte, most), rand.New(rand.NewPCG(1, 2))
	for i := range letters {
		letters[i] = byte('a' + r.IntN(26))
	}
	var e entry.Entry
	if !signer.Sign(&e, letters) || entry.Size(&e) < 2*len(letters) || entry.Size(&e) > int(c.Journal.MaxEntryBytes) {
		t.Errorf("the entry of %v takes %v, and %v fit", most, setting.Bytes(entry.Size(&e)), c.Journal.MaxEntryBytes)
	}
	if c, err = Load("", nil, set("16MiB")); err != nil || c.Journal.MaxEntryBytes != journal.MostEntryBytes {
		t.Errorf("entries of 16MiB may take %v, error %v", c.Journal.MaxEntryBytes, err)
	}
	if _, err = Load("", nil, set("17MiB")); err == nil || !strings.Contains(err.Error(), "write 16MiB or less") {
		t.Errorf("texts of 17MiB: error %v", err)
	}
}

// least is what a configuration must say.
func least() []string {
	return []string{"kafka.brokers=a:1", "sources.topics=t", "group=g", "snapshots.directory.path=d"}
}

// free are the settings of these sections in which members may differ: what one member does first, how topics are
// created and written, where a schema is whose content is agreed on, and how a registry is reached.
var free = []string{
	"sources.schema.file", "schema_registry.urls", "schema_registry.username", "schema_registry.password",
	"schema_registry.token", "schema_registry.ca_file",
	"outputs.create.enabled",
	"outputs.create.replication_factor", "outputs.create.config",
}

// Members agree on each setting that says what a document is, what is read and where it goes: either by the settings in
// force or by the routing in force, and not by both. Settings in which they may differ are named here. A new setting
// has to be assigned to one of these.
func TestWhatMembersAgreeOn(t *testing.T) {
	other := map[setting.Kind]string{
		setting.Bool: "true", setting.Int: "3", setting.Size: "2MiB", setting.String: "other",
		setting.List: "t,other", setting.Map: "retention.ms=1", setting.Duration: "7s",
	}
	base := Default()
	base.Sources = []document.Source{document.DefaultSource()}
	base.Sources[0].Topics, base.Sources[0].Reading.When = []string{"t"}, []document.Condition{{Header: "a", Equals: "b"}}
	base.Sink.Verdicts.Topic, base.Sink.Clusters.Topic = "{source}.verdicts", "{source}.clusters" // else they are left out
	before := routing.Text(base.Sources, base.Sink)
	for _, f := range setting.Fields(base) {
		key := setting.Plain(f.Key)
		section, _, _ := strings.Cut(key, ".")
		if !slices.Contains([]string{"sources", "schema_registry", "outputs"}, section) {
			continue
		}
		c := base
		c.Sources = slices.Clone(base.Sources)
		c.Sources[0].Reading.When = slices.Clone(base.Sources[0].Reading.When)
		value := other[f.Kind()]
		if len(f.Enum) > 0 {
			value = f.Enum[slices.IndexFunc(f.Enum, func(word string) bool { return word != f.Text() })]
		}
		if value == f.Text() {
			value = "false"
		}
		if m := fieldOf(t, &c, f.Key).Set(value); m != nil {
			t.Fatalf("setting %s to %q is refused: %v", f.Key, value, m)
		}
		decides := len(setting.Diff(c.Settings(), base.Settings())) > 0
		routes := !bytes.Equal(before, routing.Text(c.Sources, c.Sink))
		switch {
		case decides && routes:
			t.Errorf("%s is in the settings and in the routing", f.Key)
		case (decides || routes) == slices.Contains(free, key):
			t.Errorf("%s: in the settings %v, in the routing %v: say on which members agree", f.Key, decides, routes)
		}
	}
}
