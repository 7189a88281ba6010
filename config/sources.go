package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// Readings returns the sources with what is set for all of them.
func (c Config) Readings() []document.Source {
	sources := slices.Clone(c.Sources)
	for i := range sources {
		sources[i].Reading.MaxBytes, sources[i].Reading.Registry = c.Advanced.MaxDocumentBytes, c.Registry
	}
	return sources
}

func (c Config) wrongSources() []setting.Mistake {
	if len(c.Registry.Validate()) > 0 { // they are reported by themselves
		c.Registry = Default().Registry
	}
	return slices.DeleteFunc(document.ValidateSources(c.Readings()), func(m setting.Mistake) bool {
		return c.AnyTopics && m.Value == "" && setting.Plain(m.Key) == "sources.topics"
	})
}

// pin notes what the files hold that settings name, so that members can agree on it.
func (c *Config) pin() (wrong []setting.Mistake) {
	wrong = c.readIgnored()
	for i := range c.Sources {
		wrong = append(wrong, setting.Under(document.KeyOf(i), c.Sources[i].Reading.Pin())...)
	}
	return wrong
}

// pinned is what is computed of a source, on which members must agree.
type pinned struct {
	Fingerprint string `key:"fingerprint" verdict:"true" omit:""`
}

// pinOf is the key of what is computed of a source.
func pinOf(number int) string { return document.KeyOf(number) + ".schema" }

// takePins takes the fingerprints out of the values of settings, by pinOf and index.IgnoreKey.
func takePins(values map[string]json.RawMessage) (map[string]string, error) {
	pins := map[string]string{}
	for key, raw := range values {
		of, is := strings.CutSuffix(key, ".fingerprint")
		if source := strings.HasPrefix(of, "sources[") && strings.HasSuffix(of, ".schema"); !is || of != index.IgnoreKey && !source {
			continue
		}
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		pins[of] = text
		delete(values, key)
	}
	return pins, nil
}

// idleSources returns the settings of sources that decide nothing beside the others.
func (c *Config) idleSources() (idle []setting.Mistake) {
	for i := range c.Sources {
		idle = append(idle, setting.Under(document.KeyOf(i), c.Sources[i].Reading.Idle())...)
	}
	return idle
}

// ErrSources is of a verb that reads documents as one source does, where there are several.
var ErrSources = errors.New("the configuration has several sources, whose documents are read otherwise")

// Reading says how documents are read, where no topic says by which source: as the only one does.
func (c Config) Reading() (document.Params, error) {
	switch sources := c.Readings(); len(sources) {
	case 0:
		p := document.DefaultParams()
		p.MaxBytes, p.Registry = c.Advanced.MaxDocumentBytes, c.Registry
		return p, nil
	case 1:
		return sources[0].Reading, nil
	}
	return document.Params{}, ErrSources
}

// Only has these topics read, and no others, each as before.
func (c *Config) Only(topics []string) error {
	only, unread, err := document.Only(c.Sources, topics)
	if err == nil && len(unread) > 0 {
		err = fmt.Errorf("no source of the configuration reads %s: name it in sources.topics of one", strings.Join(unread, ", "))
	}
	if err == nil {
		c.Sources = only
	}
	return err
}
