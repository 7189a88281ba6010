package config

import "github.com/unecho/unecho/index/setting"

// idle reports settings that were given and decide nothing beside the others. A file or a variable may state a default:
// `unecho config print` writes them all. What is of a lower layer than the choice that makes it idle is not reported
// either: who overrides the sketch of a file by a flag need not change the file.
func (l *loader) idle(found []setting.Mistake) {
	chosen := max(l.origins["similarity.sketch"].Layer, l.origins["similarity.verify"].Layer)
	for _, m := range found {
		at := l.origins[m.Key].Layer
		if at == FromDefault || at < chosen || at < FromFlag && m.Value == l.usual[m.Key] {
			continue
		}
		l.judge([]setting.Mistake{m})
	}
}
