package config

import "github.com/unecho/unecho/index/setting"

// Some settings are for the verbs that work on files: they exist so that published figures can be had again. A service has their
// defaults, and says so in its settings; what is written for people leaves them out. A file that sets them to their defaults is
// taken, as those do that were written from all settings.

// forFiles reports settings of a service that only the verbs for files have.
func forFiles(c Config) []setting.Mistake {
	var wrong []setting.Mistake
	usual := setting.Fields(Default())
	for i, f := range setting.Fields(c) {
		if f.Files && f.Text() != usual[i].Text() {
			wrong = append(wrong, setting.Wrong(f.Key, f.Text(), "is for the verbs that work on files: a service has "+usual[i].Text(),
				"remove it; a group that was begun with it needs a new journal"))
		}
	}
	return wrong
}

// walk visits what a service has.
func walk(params any, visit func(setting.Field)) {
	setting.Walk(params, func(f setting.Field) {
		if !f.Files {
			visit(f)
		}
	})
}
