// Package protocol is what a session decides, apart from how it talks to Kafka: no client, clock, goroutine, logger, context
// or lock. What the session has read comes in as values, what it is to do goes out as values. Package consumer does it.
//
//	assignment   Findings.Decide     committed offset, replica, extent of the source -> go on, begin an epoch, wait, stop
//	batch        Assignment.Judge    the verdicts that the replica holds, or why the batch cannot be judged any more
//	             Assignment.Runs     the documents without a verdict, framed for the journal
//	transaction  Close, Ended        commit or abort; what the answer to a commit means
//	             Assignment.Refused  what becomes of a document that an output does not take
//
// The rules are those of the design's sections 4 and 5; each file names the ones it carries.
package protocol
