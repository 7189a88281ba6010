// Package ignore finds passages that many documents of a sample have, such as templates and disclaimers, and writes and reads
// the list of them. Their shingles do not count (duplicates.ignore).
//
// A list is a text file: a line of JSON, and a line for each passage.
//
//	┌────────────────────────────────────────────────────────────────────────────────────┐
//	│ {"unecho":"common","version":1,"fingerprint":"sha256:...","settings":{...},...}    │ what it was made by
//	│ this notice was sent to you by                                                     │ passages in their normal
//	│ open from eight to noon                                                            │ form, the most common first
//	└────────────────────────────────────────────────────────────────────────────────────┘
//
// The fingerprint is the front of SHA-256 of all lines but the first. All shingles of a passage are left out.
package ignore
