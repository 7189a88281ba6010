package protocol

import "github.com/unecho/unecho/index"

// shadow is the mode of a group that judges what another one has committed, and forwards nothing (design 4, rule 17).
type shadow struct{ live }

// First is no later than the group that is followed has come.
func (shadow) First(f *Findings) int64 { return max(f.Begin, min(f.Since, f.Followed)) }

func (shadow) Silent(*Assignment, int64) bool { return true }

func (shadow) Follows() bool { return true }

func (shadow) MayPass(*Assignment) bool { return false }

func (shadow) Bounded() bool { return true }

// Reach does not go beyond what the group that is followed has committed.
func (shadow) Reach(a *Assignment, _ *index.Replica) int64 { return max(a.Base, a.Followed) }

func (shadow) Worth(a *Assignment, reach int64, _ int) bool { return reach > a.Base }
