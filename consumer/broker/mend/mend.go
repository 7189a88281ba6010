package mend

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Stats counts what was mended.
type Stats struct {
	Killed    bool // the broker was not closed
	TakenBack int  // markers of a commit that was cut short
	Aborted   int  // transactions that were open, by partition
	Indexed   int  // index entries that were missing
	Fenced    int  // producers whose epoch was raised
}

// Mend makes the broker's data whole. now is stamped on what it writes, ms since 1970. Where the broker was closed it does
// nothing; cut short itself, it can be called again.
func Mend(dir string, now int64) (Stats, error) {
	raw, err := os.ReadFile(filepath.Join(dir, logName)) //nolint:gosec // the user names the directory
	if errors.Is(err, os.ErrNotExist) {
		return Stats{}, nil
	}
	if err != nil {
		return Stats{}, fmt.Errorf("mend broker: %w", err)
	}
	m := mender{dir: dir, now: now, stats: Stats{Killed: true}}
	if err := m.run(raw); err != nil {
		return m.stats, fmt.Errorf("mend broker: %w", err)
	}
	return m.stats, nil
}

type mender struct {
	dir   string
	now   int64
	parts []*partition
	stats Stats
}

func (m *mender) run(raw []byte) error {
	// Sessions are of clients that, in a broker that was closed, would go on with their transactions.
	if err := os.Remove(filepath.Join(m.dir, sessionName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err := m.load(); err != nil {
		return err
	}
	if n, ok := parseNote(raw); ok {
		if err := m.takeBack(n); err != nil {
			return err
		}
	}
	if err := m.abortOpen(); err != nil {
		return err
	}
	var err error
	m.stats.Fenced, err = fence(filepath.Join(m.dir, pidsName))
	return err
}

func (m *mender) load() error {
	dirs, err := os.ReadDir(filepath.Join(m.dir, partsName))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	for _, d := range dirs {
		p, indexed, err := loadPartition(filepath.Join(m.dir, partsName, d.Name()))
		if err != nil {
			return err
		}
		m.stats.Indexed += indexed
		m.parts = append(m.parts, p)
	}
	return nil
}

// takeBack undoes a commit that was cut short. Offsets go first: while there is a marker, the commit can be told from one
// that was refused, after which the broker lived on.
func (m *mender) takeBack(n note) error {
	pids, err := length(filepath.Join(m.dir, pidsName))
	if err != nil || pids != n.pids {
		return err // complete
	}
	var marked []*partition
	for _, p := range m.parts {
		if b := p.last(); b != nil && b.commits(n) {
			marked = append(marked, p)
		}
	}
	if len(marked) == 0 {
		return nil
	}
	groups := filepath.Join(m.dir, groupsName)
	if size, err := length(groups); err != nil {
		return err
	} else if size > n.groups {
		if err := os.Truncate(groups, n.groups); err != nil {
			return err
		}
	}
	for _, p := range marked {
		if err := p.drop(); err != nil {
			return err
		}
		m.stats.TakenBack++
	}
	return nil
}

func (m *mender) abortOpen() error {
	for _, p := range m.parts {
		for _, o := range p.open() {
			if err := p.abort(o, m.now); err != nil {
				return err
			}
			m.stats.Aborted++
		}
	}
	return nil
}
