package config

import (
	"strings"
	"testing"
	"time"
)

func TestFromSettings(t *testing.T) {
	c := Default()
	c.Judge.Similarity.Slots, c.Judge.Similarity.Threshold, c.Judge.Window.Age = 256, 0.75, 36*time.Hour
	c.Document.Fields, c.Document.Scope = []string{"a,b", "c"}, "header:tenant"
	for _, c := range []Config{Default(), c} {
		got, err := FromSettings(c.Settings())
		if err != nil || string(got.Settings()) != string(c.Settings()) {
			t.Errorf("%s became %s, %v", c.Settings(), got.Settings(), err)
		}
	}
	other := strings.Replace(string(c.Settings()), SettingsVersion+" ", "later ", 1)
	if got, err := FromSettings([]byte(other)); err != nil || got.Judge.Similarity.Slots != 256 {
		t.Errorf("of another version: %v", err)
	}
	for text, part := range map[string]string{
		"":                          "read settings",
		"[]":                        "read settings",
		`{"window.colour":"red"}`:   "window.colour",
		`{"window.age":"long"}`:     "window.age",
		`{"document.fields":"one"}`: "document.fields",
	} {
		if _, err := FromSettings([]byte(text)); err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("%s: got %v", text, err)
		}
	}
}

func FuzzFromSettings(f *testing.F) {
	f.Add(Default().Settings())
	f.Add([]byte(`{"version":"0","window.age":"1h"}`))
	f.Add([]byte(`{"document.fields":[null]}`))
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

// Conditions that mean the same are the same settings, in whatever order and spelling. Without conditions the settings
// are those of versions that knew none.
func TestConditionsInSettings(t *testing.T) {
	with := func(when ...string) string {
		c := Default()
		c.Source.When = when
		return string(c.Settings())
	}
	if text := with(); strings.Contains(text, "when") {
		t.Errorf("without conditions they are %s", text)
	}
	one := with("header:lang = en", "size >= 1KiB")
	if !strings.Contains(one, `"source.when":["header:lang = en","size >= 1024"]`) {
		t.Errorf("got %s", one)
	}
	if other := with("size>=1024", `header:lang="en"`, "size >= 1KiB"); other != one {
		t.Errorf("%s and %s mean the same", one, other)
	}
	if other := with("header:lang = de", "size >= 1KiB"); other == one {
		t.Error("other conditions are the same settings")
	}
}
