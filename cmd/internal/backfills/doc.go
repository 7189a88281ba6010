// Package backfills works on backfills: it replays a range of topics or files as a job, primes a group with history,
// lists and removes jobs, and tells how they go.
//
//	Flags ──▶ Replay ──▶ settings, load (files), run ──▶ voice: progress, Summary
//	      └─▶ Prime  ──▶ priming               ──▶ voice: progress, PrimeSummary
package backfills
