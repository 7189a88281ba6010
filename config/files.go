package config

import (
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

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
	usual := setting.Fields(Default())
	for i, f := range setting.Fields(c) {
		if f.Files && f.Text() != usual[i].Text() {
			wrong = append(wrong, setting.Wrong(f.Key, f.Text(), "is for the verbs that work on files: a service has "+
				usual[i].Text(),
				"remove it; a group that was begun with it needs a new journal"))
		}
	}
	return wrong
}

// walk visits the settings of a service.
func walk(params any, visit func(setting.Field)) {
	setting.Walk(params, func(f setting.Field) {
		if !f.Files {
			visit(f)
		}
	})
}
