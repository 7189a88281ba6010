// Package pipeline has the documents of a batch in memory, from the poll to the outputs: sort ─ sign ─ frame ─ encode. What
// is next, and when, a session decides.
//
//	Pipeline   the memory, which serves one batch after the other, and the workers that fill it
//	Batch      what one poll gave: it is signed, appended, produced, counted, and let go
//	refusals   why an output did not take a record, and what can be done
package pipeline
