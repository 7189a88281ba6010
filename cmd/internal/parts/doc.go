// Package parts removes repeated parts of documents from files: boilerplate, disclaimers, paragraphs that were copied.
// A part is a paragraph, a sentence or a line. Two parts are the same if their normal forms are (index/text). The first
// one stays, and later ones go, within a document and across documents.
//
//	corpus.Reader ──chunks──▶ parse, split, normalise, hash ──▶ seen? ──▶ cut ──lines──▶ outfile.File
//	one goroutine             one for each core                 in order, in the goroutine that called Run
//
// A part is remembered by 96 bits of SHA-256 beside the number of its first document, 16 bytes in all; of a thousand
// million parts two are confused with a probability of 6 in a million millions. So texts are not kept, and memory does not depend on how
// long parts are.
//
// Most rules need one pass. Where a part goes only if it is repeated several times, a first pass counts.
package parts
