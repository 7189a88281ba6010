package member

import "github.com/unecho/unecho/index"

// logBounds says which bounds are in force, and how those of this member's configuration differ. It works by those in
// force: they are a matter of the journal, not of each member's file.
func (f *Follower) logBounds(b index.Bounds) {
	lines := index.BoundsDiff(f.Agreed.Settings, b)
	if len(lines) == 0 {
		f.Logger.Info().Uint32("change", b.Number).Msg("the bounds in force in the journal are those of this configuration")
		return
	}
	f.Logger.Warn().Uint32("change", b.Number).Strs("differences", lines).
		Msg("other bounds are in force in the journal than this configuration has, and this member works by those in force: " +
			"write them into its configuration, or see by `unecho settings apply --dry-run` whether its own can be put in force for all")
}

// Params are the settings in force.
func (f *Follower) Params() (p index.Params) {
	f.Look(func(r *index.Replica) { p = r.Params() })
	return p
}
