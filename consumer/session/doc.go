// Package session is one member of the consumer group with transactions of its own: it polls documents, signs them,
// appends them to the journal, waits for their verdicts, and forwards them in the transaction that commits their
// offsets.
//
//	Run ── open     the client, which calls assign when the group gives partitions, and revoke when it takes them
//	       loop     poll ─ sign ─ judge ─ forward ─ commit
//
// Package protocol says what to do next: Takeover for partitions that are given, Batch for documents that were
// polled. The session does it, and answers.
package session
