// Package ignore finds passages that many documents of a sample have, such as templates and disclaimers, and writes and reads
// the list of them. Their shingles do not count (duplicates.ignore).
//
// A list is a text file: a line of JSON, and a line for each passage.
//
//	┌────────────────────────────────────────────────────────┐
//	│ {"unecho":"common","version":1,"settings":{...},...}   │ what it was made by
//	│ this notice was sent to you by                         │ passages in their normal
//	│ open from eight to noon                                │ form, the most common first
//	└────────────────────────────────────────────────────────┘
//
// All shingles of a passage are left out. Its fingerprint is the front of SHA-256 of the passages as they are read, so that people may
// delete some.
package ignore
