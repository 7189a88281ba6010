package localdir

import (
	"path/filepath"

	"github.com/unecho/unecho/index/snapshot"
)

const (
	segmentsDir  = "segments"
	manifestsDir = "manifests"
	leasesDir    = "leases"
	tmpDir       = "tmp"
	lockFile     = "lock"
)

func (s *Store) segmentPath(name string) string {
	return filepath.Join(s.root, segmentsDir, name[:2], name)
}

func (s *Store) manifestPath(p snapshot.Position) string {
	return filepath.Join(s.root, manifestsDir, p.FileName())
}

func (s *Store) leasePath(name string) string {
	return filepath.Join(s.root, leasesDir, snapshot.FileName(name)+".lock")
}
