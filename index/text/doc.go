// Package text turns a document's bytes into what similarity is measured on: normalised words, and the hashes of their
// shingles. It is the first half of signing; package sketch is the second.
//
//	bytes ──Normalizer.Append──▶ normalised text ──Shingling.AppendHashes──▶ shingle hashes ──Set──▶ a sorted set
//	"The “Émigré's”  CAFÉ_1"     "the émigré s café 1"                       one uint64 each        for exact Jaccard
//
// # Normalised text
//
// What is invisible goes; then Unicode NFKC, full case folding, NFKC again, and then words joined by single spaces, with none
// at either end. A word is a maximal run of letters (L), marks (M) and numbers (N: decimal digits, letter numbers, other
// numbers). Everything else separates: white space, punctuation, symbols, underscore and apostrophe, controls and unassigned
// code points. A byte that is no valid UTF-8 separates too, and so does U+FFFD.
//
// Invisible is what Unicode calls default ignorable, and the other format characters except those that are seen above a number
// (Prepended_Concatenation_Mark): soft hyphens, zero width spaces and joiners, bidi controls, variation selectors, tags, fillers
// of Hangul, interlinear annotation. It neither counts nor separates, wherever it stands; UAX #29 does not end a word at most of
// them either. So a sequence of emoji is compared as the emoji in it, where symbols are compared at all. Only U+034F counts
// between two marks, for NFKC puts it there.
//
// A text without words is compared as a whole: a space, as no other normal form begins with one, and then its punctuation and
// symbols, in canonical form and with white space as the options say, or if it has none its bytes without the white space
// around them. It is one shingle, so that only the same is similar to it. A blank text is empty.
//
// That is the default. Params change it, each by a step of its own, always in this order:
//
//	html         the text is taken out of HTML                            <p>Fl&ouml;&szlig;e from 1,200&euro;</p>
//	invisible    what doesn't count goes; always
//	             NFKC, case folding, NFKC; always                          Flöße from 1,200€  ->  flösse from 1,200€
//	accents      marks common to all scripts go                            flosse from 1,200€
//	urls         URLs and e-mail addresses become a word, or nothing
//	digits       numbers become 0, or words                                flosse from one thousand, two hundred €
//	punctuation  punctuation and symbols separate, stay, or go             flosse from one thousand two hundred
//	space        what separates becomes one space, or nothing
//	max_bytes    the text is cut between two code points
//
// Normalising twice is normalising once, for every combination: a step leaves nothing behind that another, or itself, would
// find the next time. So with html: strip, < and & separate even where punctuation stays; and where white space goes but
// punctuation stays, characters that would make a link or a number of what has come together go too.
//
// Most code points need one look into a table, which is made of the answers of golang.org/x/text, and ASCII none. What may
// combine with its neighbours goes to x/text itself, cut out at boundaries of normalisation.
//
// Which code points are letters, and how they fold and decompose, is the matter of the Unicode version that the Go release
// brings along (Unicode, below): members built with different ones may normalise new characters differently, so it belongs
// to the settings fingerprint, beside Version.
//
// # Shingles
//
// A shingle is a run of items of the normalised text. A text shorter than one shingle is one shingle, and so is one without
// words; an empty one has none.
//
//	word:N   N words
//	char:K   K code points, spaces included
//	auto:N   items that weigh 2N together: a word weighs 2, a character of a script that puts no space between words weighs 1
//
// So auto:N is word:N, hash for hash, for all text with spaces between its words, and 2N characters of Chinese, Japanese or
// Thai; where they meet, a shingle begins at each item and ends as soon as it weighs 2N. A character weighs one half because
// a word of Chinese or Japanese has about two. These scripts are those that UAX #29 takes out of its letters: ideographs,
// Hiragana and Katakana, Thai, Lao, Khmer, Myanmar, Tai Le, New Tai Lue, Tai Tham, Tai Viet, Ahom; not Hangul, which has
// spaces. A word with one of them in it is cut into the word segments of UAX #29: a character with its marks for each of
// them, but a run of Katakana, a number, or letters of another script between them are one word.
//
//	"iphone15を買う コンピューター"      auto: iphone15 を 買 う コンピューター      weights: 2 1 1 1 2
//
// # Hashes
//
// By default (xxhash) an item is cut into pieces of sixteen bytes, the last one filled with zeros. A piece of two little endian
// words low and high costs one multiplication: the step with which XXH3 takes in sixteen bytes, and with its secret. A whole
// XXH3 would ask first how long the item is, in a way that no branch predictor guesses for words.
//
//	h(piece) = the two halves of (low ^ S0)·(high ^ S1), xored          S0, S1 = the beginning of XXH3's secret
//	h(item)  = h(piece 1)·M^(p-1) + … + h(piece p)                      M = 0x165667919e3779f9
//	shingle  = mix(h(item 1)·B^(n-1) + … + h(item n))                   B = 0xff51afd7ed558ccd
//
// mix is the last step of XXH3, and the K code points of char:K are one item together. A shingle of words costs the same for
// every N, one of characters a multiplication for each sixteen bytes. No hash is a defence against someone who builds
// collisions on purpose, and none is needed: what they can gain is that their own documents count as copies.
//
// Eight bytes are folded together, and 64 searched for spaces together, so that few branches depend on the text. Where amd64
// has AVX2 and AVX-512 (kernels_amd64.s), more bytes, words and shingles are taken at once, with the same results: the tag
// purego builds without.
//
// The other hashes are of the shingle's text: from its first item to its last, and the spaces between, as they are in the
// normal form. That is how published settings mean them, and costs more the longer a shingle is:
//
//	murmur3   the first half of MurmurHash3_x64_128, seed 0
//	xxh64     XXH64, seed 0
//	sha1      the first eight bytes of SHA-1, little endian, as datasketch and datatrove take them
package text
