// Package session is one member of the consumer group with transactions of its own: it polls documents, signs them,
// appends them to the journal, waits for their verdicts, and forwards them in the transaction that commits their
// offsets.
//
//	Session ─ Run    opens a client, lets a loop do what there is to do, and opens another when an outcome is unknown
//	  loop           does each step that protocol.Member says is next, and answers; forward.go has its transactions
//	  recorder       reads again what was passed on while the journal was away
//	  client         the place in the group: polls, pauses, rewinds
//	  outage         whether the journal answers
//
// Around it are rooms of their own: pipeline has the documents of a batch in memory, takeover does what the client calls
// back, in goroutines of its own, mail brings the loop what comes of that, and standing shows others how the session is.
//
// What is next, package protocol decides: Member from one poll to the next, Takeover from being given a partition to
// reading it. Nothing that a killed session held is needed by the next one: it reads committed offsets and the journal.
package session
