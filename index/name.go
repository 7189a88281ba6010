package index

import "github.com/unecho/unecho/index/entry"

// TopicOf returns the name of a source's topic, or nothing if the journal never named it.
func (r *Replica) TopicOf(source entry.Source) string {
	number, ok := r.sources.byID[source]
	if !ok {
		return ""
	}
	return r.sources.rows[number].name
}
