// Package naive is a second implementation of the journal's state machine, written to be obviously right and not to be
// fast. The replica of package index is tested against it, and consumer/audit replays a journal with it.
//
// It keeps the documents of the window in a slice, and states every rule directly in code. It recycles, shortens and
// caches nothing. Its only optimisation is a list of the documents under each band key.
//
//	record ──▶ settings in force? ──▶ epoch right? ──▶ clocks ──▶ base ──▶ each new entry: look back, judge, hold
//
// A record that changes nothing moves no clock either. The package is written independently of package index; it only
// uses its types of records and verdicts, and its size of an entry. Where the two disagree, one of them is wrong.
package naive
