package config

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index/setting"
)

// free are the settings of these sections in which members may differ: what one member does first, how topics are
// created and written, where a schema is whose content is agreed on, and how a registry is reached.
var free = []string{
	"document.schema_file", "document.registry.urls", "document.registry.username", "document.registry.password",
	"document.registry.token", "document.registry.timeout", "document.registry.tls.ca_file", "document.registry.tls.cert_file",
	"document.registry.tls.key_file", "document.registry.tls.server_name", "document.registry.tls.insecure_skip_verify",
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
	base.Source.Topics = []string{"t"}
	base.Sink.Verdicts.Topic = "{source}.verdicts" // else it is left out
	before := routing.Text(base.Source.Choice(), base.Sink)
	for _, f := range setting.Fields(base) {
		section, _, _ := strings.Cut(f.Key, ".")
		if !slices.Contains([]string{"document", "source", "outputs"}, section) {
			continue
		}
		c := base
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
		routes := !bytes.Equal(before, routing.Text(c.Source.Choice(), c.Sink))
		switch {
		case section == "document" && !decides && !slices.Contains(free, f.Key):
			t.Errorf("%s says what a document is, and members may differ in it", f.Key)
		case decides && routes:
			t.Errorf("%s is in the settings and in the routing", f.Key)
		case (decides || routes) == slices.Contains(free, f.Key):
			t.Errorf("%s: in the settings %v, in the routing %v: say on which members agree", f.Key, decides, routes)
		}
	}
}
