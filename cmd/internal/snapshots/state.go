package snapshots

import (
	"fmt"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/snapshot"
)

// StateOf decodes the state of a snapshot by the settings that the snapshot carries. It also returns the settings.
func StateOf(m *snapshot.Manifest) (*index.Restore, []byte, error) {
	settings, err := index.CapturedSettings(m.State)
	if err != nil {
		return nil, nil, err
	}
	c, fingerprint := config.Default(), m.Fingerprint
	if settings != nil {
		if c, err = config.FromSettings(settings); err != nil {
			return nil, settings, err
		}
		fingerprint = index.Fingerprint(settings)
	}
	state, err := index.NewRestore(c.Judge, fingerprint, m.State)
	if err == nil && state.Next() != m.Position.Offset {
		err = fmt.Errorf("%w: it holds the state at %d", index.ErrCorrupt, state.Next())
	}
	return state, settings, err
}

// RestoreOf is StateOf without the settings.
func RestoreOf(m *snapshot.Manifest) (*index.Restore, error) {
	state, _, err := StateOf(m)
	return state, err
}
