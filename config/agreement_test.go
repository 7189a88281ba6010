package config

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index/setting"
)

// free are the settings of these sections in which members may differ: what one member does first, how topics are
// created and written, where a schema is whose content is agreed on, and how a registry is reached.
var free = []string{
	"sources.schema.file", "schema_registry.urls", "schema_registry.username", "schema_registry.password",
	"schema_registry.token", "schema_registry.ca_file",
	"outputs.create.enabled",
	"outputs.create.partitions", "outputs.create.replication_factor", "outputs.create.config",
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
	base.Sink.Verdicts.Topic = "{source}.verdicts" // else it is left out
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
