package config

import (
	"strings"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// choices returns the settings of a section beside which others of it may decide nothing.
func choices(section string) []string {
	switch {
	case section == "snapshots":
		return storePlaces()
	case strings.HasPrefix(section, "sources["):
		return []string{section + ".format"}
	}
	return []string{"duplicates.method", "duplicates.verify"}
}

// idle reports settings that were given and decide nothing beside the others. A file or a variable may state a default:
// `unecho config print` writes them all. What is of a lower layer than the choice that makes it idle is not reported
// either: who overrides the sketch of a file by a flag need not change the file. Beside a choice that is refused,
// nothing is idle.
func (l *loader) idle(found []setting.Mistake) {
	for _, m := range found {
		section, _, _ := strings.Cut(m.Key, ".")
		chosen, broken := FromDefault, false
		for _, key := range choices(section) {
			chosen, broken = max(chosen, l.origins[key].Layer), broken || l.excused[key]
		}
		at := l.origins[m.Key].Layer
		if broken || at == FromDefault || at < chosen || at < FromFlag && m.Value == l.usual[m.Key] {
			continue
		}
		l.judge([]setting.Mistake{m})
	}
}

// ForFiles has the defaults of the verbs that judge files.
func ForFiles() Config {
	c := Default()
	c.Judge = index.DefaultFileParams()
	return c
}

// Some settings are only for the verbs that work on files, so that published figures can be reproduced. A service
// always has their defaults, and its settings and the documents for people leave them out. A file that sets them to
// their defaults is accepted, because files that list all settings do so.

// forFiles reports settings of a service that only the verbs for files have.
func forFiles(c Config) []setting.Mistake {
	var wrong []setting.Mistake
	usual := map[string]string{}
	for _, f := range setting.Shape(Default()) {
		usual[setting.Plain(f.Key)] = f.Text()
	}
	for _, f := range setting.Fields(c) {
		if service := usual[setting.Plain(f.Key)]; f.Files && f.Text() != service {
			remedy := "remove it; a group that was begun with it needs a new journal"
			if f.Key == "normalize.html" {
				remedy = "remove it, and write format: html at the source, or html: with the fields that hold HTML"
			}
			wrong = append(wrong, setting.Wrong(f.Key, f.Text(), "is for the verbs that work on files: a service has "+service, remedy))
		}
	}
	return wrong
}

// walk visits the settings of a service.
func walk(params any, visit func(setting.Field)) { setting.Walk(params, ofService(visit)) }

// walkShape visits the settings that a service can have, those of a list of sections once.
func walkShape(params any, visit func(setting.Field)) { setting.WalkShape(params, ofService(visit)) }

func ofService(visit func(setting.Field)) func(setting.Field) {
	return func(f setting.Field) {
		if !f.Files {
			visit(f)
		}
	}
}
