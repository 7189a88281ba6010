package config

import (
	"strings"

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
