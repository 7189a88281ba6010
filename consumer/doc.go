// Package consumer is the service: documents come from Kafka, are signed, appended to the journal, applied to this member's
// replica, and forwarded with their verdicts in the transaction that commits their offsets.
//
//	Run ── follower   one goroutine: applies the journal to the replica, and answers lookups between two records
//	    ├─ sessions   poll ─ sign ─ append ─ wait ─ begin ─ produce ─ commit, each with a slot of its own
//	    └─ keeper     writes snapshots and checkpoints, trims the journal
//
// The rules it obeys are those of the design's sections 4 and 5; each file names the ones it carries. What they decide stands
// in package protocol, what they decide it by is read and done here.
package consumer
