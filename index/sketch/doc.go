// Package sketch makes of a document's shingle hashes a short sketch whose slots tell how similar two documents are, and the
// band keys by which candidates are found. It is the second half of signing; package text is the first.
//
//	shingle hashes ──MinHash.Sign──▶ slot values ──┬─Banding.AppendKeys──▶ band keys   (in every entry: candidates)
//	                                               └─AppendCodes─────────▶ low-bit codes (verify: estimate)
//	sorted sets    ──Jaccard──▶ shared, union                                            (verify: jaccard)
//
// # Fast similarity sketching
//
// After Dahlgaard, Knudsen and Thorup, "Fast Similarity Sketching" (FOCS 2017), with the rounds cut short:
//
//	rounds r = 0..R-1, R = max(1, slots/8): each shingle draws a slot and a value tagged with r;
//	    the slot keeps the least value. Stop after the round in which the last slot was filled.
//	a slot still empty after R rounds takes the least, over the shingles, of a value of its own, tagged R.
//
// A draw is h = shingle x F(r) mod 2^64, with an odd F(r) that has no structure: its slot is the integer part of
// h / 2^64 x slots, its value the highest 56 bits of h. The value of the fallback is that of F(R + slot).
//
// A value is 64 bits, and the tag stands above the rest, so that a value of an earlier round is less than any of a later:
//
//	┌─────────┬──────────────────────────────┐
//	│ r  8 bit│ draw                  56 bits│
//	└─────────┴──────────────────────────────┘
//
// For each slot that is one fixed order of all shingles there are, and the slot holds the first of the document's: so two
// documents agree in a slot with the probability of their Jaccard similarity, however often a shingle occurs in them and in
// whichever order. Compared with k independent permutations it costs about one hash for each shingle instead of k, and the
// variance is less for texts with few shingles.
//
// Everything here is a pure function of its arguments, the same on every machine; Version names the function.
package sketch
