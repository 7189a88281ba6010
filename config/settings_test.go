package config

import (
	"strings"
	"testing"
	"time"

	"github.com/unecho/unecho/consumer/document"
	"github.com/unecho/unecho/index/setting"
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
	other := strings.Replace(string(c.Settings()), SettingsVersion+" ", "later ", 1)
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
