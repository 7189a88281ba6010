package corpus

import (
	"testing"

	"github.com/unecho/unecho/consumer/document"
)

// TestFormats: no two formats of files share a name or an ending, and what their records are is a format of documents.
func TestFormats(t *testing.T) {
	seen := map[string]bool{Auto: true}
	for _, f := range formats() {
		for _, word := range append(f.endings, f.name) {
			if seen[word] {
				t.Errorf("two formats have %s", word)
			}
			seen[word] = true
		}
		for _, as := range []string{f.record, InTopic(f.name)} {
			p := document.DefaultParams()
			p.Format = as
			if mistakes := p.Validate(); len(mistakes) > 0 {
				t.Errorf("records of %s are read as %q: %v", f.name, as, mistakes)
			}
		}
	}
}
