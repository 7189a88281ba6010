package demo

import (
	"fmt"
	"os"
)

// Dir is the directory named, or a temporary one that remove deletes.
func Dir(named string) (dir string, remove func(), err error) {
	if named != "" {
		return named, func() {}, nil
	}
	dir, err = os.MkdirTemp("", "unecho-demo-")
	if err != nil {
		return "", nil, fmt.Errorf("make a directory: %w", err)
	}
	return dir, func() { _ = os.RemoveAll(dir) }, nil
}
