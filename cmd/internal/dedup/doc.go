// Package dedup judges documents from files with the very core that the service runs: it signs them on all cores and applies
// them in their order to one replica, whose window holds them all.
//
//	corpus.Reader ──chunks──▶ parse and sign ──▶ apply ──▶ Outcome
//	one goroutine             one for each core  in order, in the goroutine that called Run
//
// A chunk, its parser, its signer and what was signed are one job, and there is a fixed number of jobs, which bounds the
// memory beside the index.
package dedup
