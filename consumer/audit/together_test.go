package audit_test

import (
	"testing"

	"github.com/unecho/unecho/consumer/audit"
	"github.com/unecho/unecho/sink"
)

// together has duplicates go to the topic of the unique documents.
func together(s *scene) {
	for _, r := range s.outputs {
		if r.Topic == "news.duplicate" {
			r.Topic = "news.unique"
		}
	}
	s.sink.Duplicate.Topic = s.sink.Unique.Topic
}

// Where duplicates stand among the unique documents, one output partition has the order of both.
func TestDuplicatesAmongTheUnique(t *testing.T) {
	tryAll(t, []happening{
		{"as they should", together, audit.Report{Records: 5, Unique: 2, Duplicate: 2, Rejected: 1}},
		{"in a topic of their own", func(s *scene) { s.sink.Duplicate.Topic = s.sink.Unique.Topic }, audit.Report{
			Records: 5, Unique: 2, Rejected: 1, Lost: 2,
		}},
		{"a duplicate before a unique one", func(s *scene) {
			together(s)
			s.forward(s.document(1, "one more that is like no other, and comes last in its partition"), 1)
			last := len(s.outputs) - 1
			s.outputs[2], s.outputs[last] = s.outputs[last], s.outputs[2]
		}, audit.Report{Records: 6, Unique: 3, Duplicate: 2, Rejected: 1, Misordered: 2}},
		{"a duplicate that says it is unique", func(s *scene) {
			together(s)
			set(s.outputs[2], sink.HeaderVerdict, sink.Unique)
		}, audit.Report{Records: 5, Unique: 3, Duplicate: 1, Rejected: 1, Different: 1}},
	})
}
