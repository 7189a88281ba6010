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
// Around it are rooms of their own. Package pipeline has the documents of a batch in memory; it answers for appends and
// for waits on the replica. Package outputs checks times. Package takeover has the client's callbacks, which run in
// goroutines of the client. They send letters through package mail, and the loop reads them. Package standing shows others
// how the session is.
//
// Package protocol decides what is next: Member from one poll to the next, Takeover from being given a partition to
// reading it. A session that was killed leaves nothing that the next one needs: that reads committed offsets and the
// journal.
package session
