// Package backfills works on backfills: it replays a range of topics or files as a job, fills the window of a new
// group, lists and removes jobs, and tells how they go.
//
//	Flags ──▶ Replay ──▶ settings, load (files), run ──▶ voice: progress, Summary
//	      └─▶ Fill   ──▶ filling               ──▶ voice: progress, FillSummary
package backfills
