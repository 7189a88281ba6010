// Package session is one member of the consumer group with transactions of its own: it polls documents, signs them,
// appends them to the journal, waits for their verdicts, and forwards them in the transaction that commits their
// offsets.
//
//	Session ─ Run    opens a client, lets a loop do what there is to do, and opens another when an outcome is unknown
//	  loop           does each step that protocol.Member says is next, and answers
//	  client         the place in the group: polls, pauses, commits
//	  pipeline       the memory of a batch: sort ─ sign ─ frame ─ encode; what is recorded after an outage has its own
//	  takeovers      what the client's callbacks do, in goroutines of their own: protocol.Takeover for each partition
//	  mailbox        what they tell the loop: partitions that were given or taken away, and that a person is needed
//
// What is next, package protocol decides: Member from one poll to the next, Takeover from being given a partition to
// reading it. Nothing that a killed session held is needed by the next one: it reads committed offsets and the journal.
package session
