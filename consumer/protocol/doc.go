// Package protocol is what a session decides, apart from how it talks to Kafka: no client, clock, goroutine, logger,
// context or lock. Values come in that the session has read, and values go out that say what to do. Package session
// does it.
//
//	Takeover    the steps from being given a partition to reading it: go on, begin an epoch, wait, stop
//	Member      what a session does next with the partitions that it has: record, poll, lead a batch, announce
//	Batch       the steps from one poll to one transaction: judge, append, forward, commit or abort
//	Accepted    what a person permits a process once
//	Mode        what a group does with what it reads: live or backfill, a file for each
//
// Takeover, Member and Batch are machines: they say what they need next, and their methods are the answers. A session
// does what they say with Kafka and its replica, package sim with a simulated world. They decide by these:
//
//	Findings.Decide     committed offset, replica, extent of the source: how a takeover goes on
//	Assignment.Judge    the verdicts that the replica holds, or why the batch cannot be judged any more
//	Assignment.Refused  what becomes of a document that an output does not take
//
// The rules are those of the design's sections 4 and 5; comments name them where they are carried out.
package protocol
