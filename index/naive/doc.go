// Package naive is the state machine of the journal once more, written to be obviously right and not to be fast: the oracle
// that the replica of package index is tested against, and the judge that consumer/audit replays a journal with.
//
// It keeps the documents of the window in a slice and every rule in a sentence of code. Nothing is recycled, cut short or
// cached, and the only help it allows itself is a list of the documents under each band key.
//
//	record ──▶ settings in force? ──▶ epoch right? ──▶ clocks ──▶ base ──▶ each new entry: look back, judge, hold
//
// A record that changes nothing moves no clock either. It is written apart from package index, of which it uses the types
// of records and verdicts and the size of an entry; where the two disagree, one of them is wrong.
package naive
