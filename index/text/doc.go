// Package text turns a document's bytes into what similarity is measured on: normalised words, and the hashes of their
// shingles. It is the first half of signing; package sketch is the second.
//
//	bytes ──Normalizer.Append──▶ normalised text ──Shingling.AppendHashes──▶ shingle hashes ──Set──▶ a sorted set
//	"The “Émigré's”  CAFÉ_1"     "the émigré s café 1"                       one uint64 each        for exact Jaccard
//
// # Normalised text
//
// Unicode NFKC, full case folding, NFKC again, and then words joined by single spaces, with none at either end. A word is a
// maximal run of letters (L), marks (M) and numbers (N: decimal digits, letter numbers, other numbers). Everything else
// separates: white space, punctuation, symbols, underscore and apostrophe, format characters such as the soft hyphen or the
// zero width joiner, controls and unassigned code points. A byte that is no valid UTF-8 counts as U+FFFD, a symbol, and so
// separates too. Normalising twice is normalising once.
//
// Which code points are letters, and how they fold and decompose, is the matter of the Unicode version that the Go release
// brings along (Unicode, below): members built with different ones may normalise new characters differently, so it belongs
// to the settings fingerprint, beside Version.
//
// # Shingles
//
// word:N takes every run of N words, char:K every run of K code points, spaces included. A text shorter than one shingle is
// one shingle; an empty one has none. A shingle's hash is the polynomial of its items' hashes over uint64, mixed once more:
//
//	h(item) = xxhash64(word), or mix(code point)          B = 0xff51afd7ed558ccd
//	shingle = mix(h(item 1)·B^(n-1) + h(item 2)·B^(n-2) + … + h(item n))
//
// so that it costs the same for every N, and depends on the order. The hashes are no defence against someone who builds
// collisions on purpose, and need none: what they can gain is that their own documents count as copies.
package text
