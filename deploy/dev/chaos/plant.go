//go:build unix

package main

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// bug is planted into the members' binary to see whether the audit finds its effects. The text old, which occurs
// exactly once in the file, is replaced by new.
type bug struct{ file, old, new string }

// bugs returns the bugs that a short run of chaos reveals. The simulation has many more.
func bugs() map[string]bug {
	return map[string]bug{
		"commit-ahead": { // a kill before the transaction has ended loses what it would have held
			"consumer/session/loop.go",
			"		return l.forward(ctx)\n",
			`		var ends []cluster.Commit
		for i := range step.Batch.Groups {
			g := &step.Batch.Groups[i]
			ends = append(ends, cluster.Commit{TopicPartition: g.TopicPartition, Offset: g.End, Metadata: protocol.Metadata(g.Epoch, g.End)})
		}
		if err := l.Cluster.Commit(ctx, l.client.identity(), ends); err != nil {
			return fmt.Errorf("commit: %w", err)
		}
		return l.forward(ctx)
`,
		},
		"forget-held": { // a restored member judges again what waits to be committed
			"index/capture.go",
			"dst = binary.AppendUvarint(dst, uint64(len(p.held)))\n\tfor i := range p.held {",
			"dst = binary.AppendUvarint(dst, 0)\n\tfor i := range p.held[:0] {",
		},
	}
}

func bugNames() string { return strings.Join(slices.Sorted(maps.Keys(bugs())), ", ") }

// plant writes the file with the bug, and returns which file it replaces.
func plant(ctx context.Context, dir, name string) (map[string]string, error) {
	b := bugs()[name]
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return nil, fmt.Errorf("find the module: %w", err)
	}
	path := filepath.Join(strings.TrimSpace(string(root)), b.file)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if n := strings.Count(string(text), b.old); n != 1 {
		return nil, fmt.Errorf("plant %s: %q stands %d times in %s: say again where the bug is to be", name, b.old, n, b.file)
	}
	wrong := filepath.Join(dir, "bug.go")
	return map[string]string{path: wrong}, os.WriteFile(wrong, []byte(strings.Replace(string(text), b.old, b.new, 1)), 0o600)
}
