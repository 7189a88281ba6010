// Package sketch turns a document's shingle hashes into a short sketch, which tells how similar two documents are, and
// into the band keys by which candidates are found. It is the second half of signing; package text is the first. It
// imports no other package of unecho, so another program may use it alone: see the example of NewMinHashSketch.
//
//	                           ┌─AppendKeys──▶ band keys: documents that share one are candidates
//	shingle hashes ──Sign──▶ Sketch
//	                           └─AppendCodes─▶ codes ──Similarity──▶ estimate (MinHash), or equal bits (SimHash)
//	sorted sets    ──Jaccard────────────────▶ shared, union
//	texts          ──Levenshtein.Similarity─▶ 1 - distance/length
//
// A similarity is an exact fraction, and AtLeast compares it with a threshold in integers, so that all machines decide
// alike. Everything here is a pure function of its arguments, the same on every machine. Version names the function.
//
// # MinHash by fast similarity sketching
//
// The algorithm is that of Dahlgaard, Knudsen and Thorup, "Fast Similarity Sketching" (FOCS 2017), with fewer rounds:
//
//	rounds r = 0..R-1, R = max(1, slots/8): each shingle draws a slot and a value tagged with r;
//	    the slot keeps the least value. Stop after the round in which the last slot was filled.
//	a slot still empty after R rounds takes the least, over the shingles, of a value of its own, tagged R.
//
// A draw is h = shingle x F(r) mod 2^64, with an odd F(r) that has no structure. Its slot is the integer part of h /
// 2^64 x slots, its value the highest 56 bits of h. The value in the fallback is that of F(R + slot).
//
// A value is 64 bits. The tag is in the highest bits, so that a value of an earlier round is less than any of a later
// one:
//
//	┌─────────┬──────────────────────────────┐
//	│ r  8 bit│ draw                  56 bits│
//	└─────────┴──────────────────────────────┘
//
// For each slot this defines one fixed order of all possible shingles, and the slot holds the document's first one in
// it. So two documents agree in a slot with the probability of their Jaccard similarity, in whatever order and however
// often their shingles occur. Compared with k independent permutations it costs about two multiplications per shingle
// instead of k, and the variance is half for texts with few shingles (TestAccuracyTableLong).
//
// Slots are grouped into bands of rows (Plan). A pair becomes a candidate with the probability 1-(1-J^rows)^bands, the
// S-curve (Leskovec, Rajaraman and Ullman, "Mining of Massive Datasets", section 3.4). A few low bits of each slot are
// kept as its code (Li and König, "b-Bit Minwise Hashing", 2010), and the estimate subtracts the codes that are equal
// by chance.
//
// # SimHash
//
// Each bit of the sketch is the majority of that bit of hashes of the shingles (Charikar 2002), so that near documents
// differ in few bits. They are remixed (Mix): the upper bits of the hashes themselves are what verifies a pair, and must
// not follow from what made it a candidate. The bits are cut into blocks, and a band is a choice of blocks. Two sketches within the distance
// always have an equal band, not only probably (Manku, Jain and Das Sarma 2007). Documents within the distance are
// almost the same text, though: 3 bits of 64 are a similarity of 0.95 by this measure, on which unrelated documents
// reach 0.5.
//
// # Weights
//
// Unweighted, a document is the set of its shingles. Weighted, each shingle counts as often as it occurs. MinHash then
// estimates the Jaccard similarity of multisets (sum of the lesser over sum of the greater numbers of occurrences), by
// treating the i-th occurrence of a shingle as an element of its own. SimHash counts each occurrence as a vote.
package sketch
