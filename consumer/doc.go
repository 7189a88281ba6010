// Package consumer is the service: documents come from Kafka, are signed, appended to the journal, applied to this
// member's replica, and forwarded with their verdicts in the transaction that commits their offsets.
//
//	Run ── member.Follower   one goroutine: applies the journal to the replica, and answers lookups between two records
//	    ├─ session.Session   poll ─ sign ─ append ─ wait ─ begin ─ produce ─ commit, each with a slot of its own
//	    ├─ member.Keeper     writes snapshots and checkpoints, trims the journal
//	    └─ companions        lags, remarks, lookout, heritage, progress, readiness: they hold up no session
//
// These are the packages below, from the one that knows most of the others to the one that knows none:
//
//	consumer    the service: its start, its lives, its lags, whether it is ready
//	session     a member of the group with transactions of its own
//	member      the replica: following, restoring, snapshots, disputes
//	cluster     requests to the group and its transactions
//	journal     the journal's format, reading it and appending to it
//	protocol    what a session does next, pure
//
// The rules are those of the design's sections 4 and 5; comments name them where they are carried out.
package consumer
