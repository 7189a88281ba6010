package tune

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/unecho/unecho/config"
)

// What is written is what a service takes: nothing that decides nothing beside the rest.
func TestYAMLIsTaken(t *testing.T) {
	for verify, states := range map[string]bool{"estimate": false, "jaccard": true} {
		c := config.Default()
		p := &c.Judge.Duplicates
		p.Method, p.Distance, p.Verify = "simhash", 2, verify
		p.Threshold, p.Recall = 0.6, 0.9 // of an earlier choice
		text := differences(c.Judge, config.Default().Judge, []string{"duplicates.threshold", "duplicates.method", "duplicates.distance"})
		path := filepath.Join(t.TempDir(), "unecho.yaml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := config.ResolveSections(config.Default(), []string{"duplicates", "normalize"}, path, nil, nil); err != nil {
			t.Errorf("%s: %v; want what is written taken:\n%s", verify, err, text)
		}
		if strings.Contains(text, "threshold: 0.6") != states || strings.Contains(text, "recall") {
			t.Errorf("%s: it writes\n%swant the threshold stated: %v, and no recall", verify, text, states)
		}
	}
}
