// Package feed makes the documents of the demo, and measures how well they were judged.
//
// A Feed writes articles from a grammar and a seed: originals, exact copies of them, edited copies whose word-3 Jaccard
// similarity to the original is spread evenly from .5 to 1, and bulletins, which share half their sentences with others
// of their kind and are no copies. Each document is a function of the seed and its number alone, so a feed can be taken
// up again anywhere, and nothing of it is kept in memory:
//
//	number ──kind──▶ original, bulletin ──────────▶ grammar ──▶ document
//	                 copy: of which earlier number ─▶ that original, written again ──edits──▶ document
//
// A Lines reads the user's own documents instead. An Evaluation compares verdicts with the exact similarity to each
// document kept before. It keeps the texts; the filter keeps only what its settings say.
package feed
