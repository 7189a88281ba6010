// Package compare measures how similar two entries are, and tells unlike ones apart by less: by their lengths, and by
// their digests. What it says depends on the entries and the settings alone, so it is the same on every member.
//
//	Comparer   an entry and its candidates: may it reach the threshold, what does it cost, how similar are they
//	AppendOdd, AppendFront   the digest of an entry
//	FineKey    keys of an entry's evidence, where its band keys are too common
package compare
