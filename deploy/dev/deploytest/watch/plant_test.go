package watch

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// plant has a file of the program read otherwise, from a copy in dir, and returns what to give go build as -overlay.
func plant(dir, file, from, to string) (overlay string, err error) {
	path, err := filepath.Abs(filepath.Join(root, file))
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), from); n != 1 {
		return "", fmt.Errorf("%q stands %d times in %s: say again what is to be changed", from, n, file)
	}
	changed := filepath.Join(dir, "planted.go")
	if err := os.WriteFile(changed, []byte(strings.Replace(string(text), from, to, 1)), 0o600); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {path: changed}})
	if err != nil {
		return "", err
	}
	overlay = filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, list, 0o600)
}
