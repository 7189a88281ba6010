package watch

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
)

// plant puts a bug into a file of the program, and returns what to give go build as -overlay.
func (s *scene) plant(file, from, to string) (overlay string) {
	s.t.Helper()
	text := read(s.t, file)
	if n := strings.Count(text, from); n != 1 {
		s.t.Fatalf("%q stands %d times in %s: say again where the bug is to be", from, n, file)
	}
	path, err := filepath.Abs(filepath.Join(root, file))
	check(s.t, err)
	wrong := filepath.Join(s.dir, "wrong.go")
	check(s.t, os.WriteFile(wrong, []byte(strings.Replace(text, from, to, 1)), 0o600))
	list, err := json.Marshal(map[string]map[string]string{"Replace": {path: wrong}})
	check(s.t, err)
	overlay = filepath.Join(s.dir, "overlay.json")
	check(s.t, os.WriteFile(overlay, list, 0o600))
	return overlay
}
