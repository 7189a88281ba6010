// Package synthetic makes corpora whose copies are known: for the demo, for tests, and for figures.
//
// Articles are written from a grammar and a seed: originals, exact copies of them, edited copies whose word-3 Jaccard
// similarity to the original is spread evenly from .5 to 1, and bulletins, which share half their sentences with others
// of their kind and are no copies. Each document is a function of the seed and its number alone, so making them can be
// taken up again anywhere, and nothing of them is kept in memory:
//
//	number ──kind──▶ original, bulletin ──────────▶ grammar ──▶ document
//	                 copy: of which earlier number ─▶ that original, written again ──edits──▶ document
//
// Boilerplate is texts that have most of their words in common, and near copies of some of them.
package synthetic
