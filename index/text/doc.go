// Package text turns a document's bytes into what similarity is measured on: normalised words, and the hashes of their
// shingles. It is the first half of signing; package sketch is the second.
//
//	bytes ──Normalizer.Append──▶ normalised text ──Shingling.AppendHashes──▶ shingle hashes ──Set──▶ a sorted set
//	"The “Émigré's”  CAFÉ_1"     "the émigré s café 1"                       one uint64 each        for exact Jaccard
//
// # Normalised text
//
// Invisible characters are dropped. Then come Unicode NFKC, full case folding and NFKC again, and last the words are
// joined by single spaces, with none at either end. A word is a maximal run of letters (L), marks (M) and numbers (N:
// decimal digits, letter numbers, other numbers). Everything else separates: white space, punctuation, symbols,
// underscore and apostrophe, and controls of ASCII.
//
// What is unread, bytes that are not valid UTF-8, U+FFFD, code points that are for private use or not assigned, does not
// vanish: its bytes are letters of the word that they stand in. Where more than 5 % of what a text says is unread, it is
// compared by its bytes (unread.go): each byte from 0x80 on is a letter, and what is left of ASCII is text. So words of Cyrillic in
// windows-1251 are words, and documents in one encoding are compared with each other; with the same text in another
// encoding they have nothing but ASCII in common. Where more than half of what a text says is signs that carry a text, such as Braille, each
// of these is a letter, too (unread.go). All that follows holds for the text of these letters, too.
//
// Invisible are the characters that Unicode calls default ignorable, and the other format characters except those that
// are seen above a number (Prepended_Concatenation_Mark). Examples are soft hyphens, zero width spaces and joiners,
// bidi controls, variation selectors, tags, fillers of Hangul, and interlinear annotation. An invisible character
// neither counts nor separates, wherever it stands; UAX #29 does not end a word at most of them either. So a sequence
// of emoji is compared as the emoji in it, where symbols are compared at all. The one exception is U+034F between two
// marks: it counts, because NFKC puts it there.
//
// A text without words is compared as a whole. Its normal form is a space, with which no other normal form begins, and
// then its bytes, without the white space around them. It is one shingle, so that only an equal text is similar to it. A
// blank text is empty.
//
// That is the default. Params change it. Each adds one step, always in this order:
//
//	html         the text is taken out of HTML                            <p>Fl&ouml;&szlig;e from 1,200&euro;</p>
//	invisible    what doesn't count goes; always
//	             NFKC, case folding, NFKC; always                          Flöße from 1,200€  ->  flösse from 1,200€
//	accents      marks common to all scripts go, ı gets its dot            flosse from 1,200€
//	urls         URLs and e-mail addresses become a word, or nothing
//	ids          hexadecimal ids, UUIDs and MAC addresses become a word
//	digits       numbers become 0                                          flosse from 0€
//	punctuation  punctuation and symbols separate, stay, or go             flosse from 0
//	space        what separates becomes one space, or nothing
//	max_bytes    the text is cut between two code points
//
// Normalising twice gives the same as normalising once, for every combination: no step leaves anything that another
// step, or itself, would find the next time. So with html: strip, < and & separate even where punctuation stays. And
// where white space is dropped but punctuation stays, characters that would make a link or a number of what is now
// adjacent are dropped too.
//
// Most code points need one look into a table, which is filled from the answers of golang.org/x/text. ASCII needs none.
// Text that may combine with its neighbours is cut out at boundaries of normalisation and passed to x/text itself.
//
// The Unicode version that comes with the Go release (Unicode, below) decides which code points are letters, and how
// they fold and decompose. Members built with different versions may normalise new characters differently, so it is
// part of the settings fingerprint, beside Version.
//
// # Shingles
//
// A shingle is a run of items of the normalised text. A text shorter than one shingle is one shingle, and so is one
// without words; an empty one has none.
//
//	word:N   N words
//	char:K   K code points, spaces included
//	auto:N   items that weigh 2N together: a word weighs 2, a character of a script that puts no space between words weighs 1
//
// So auto:N is word:N, hash for hash, for all text with spaces between its words, and 2N characters for Chinese,
// Japanese or Thai. Where the two kinds are mixed, a shingle begins at each item and ends as soon as it weighs 2N. A
// character weighs one half because a word of Chinese or Japanese has about two. These scripts are the ones that UAX
// #29 leaves out of its letters: ideographs, Hiragana and Katakana, Thai, Lao, Khmer, Myanmar, Tai Le, New Tai Lue, Tai
// Tham, Tai Viet, Ahom; but not Hangul, which has spaces. A word with one of these characters is cut into the word
// segments of UAX #29: one segment for each such character with its marks, while a run of Katakana, a number, or
// letters of another script between them are one word. Of a text that is compared by its bytes, more than 16 letters of
// bytes in a row are taken as such a script, in which each weighs 1: two make a character of GB2312, as much as a word.
//
//	"iphone15を買う コンピューター"      auto: iphone15 を 買 う コンピューター      weights: 2 1 1 1 2
//
// # Hashes
//
// By default (xxhash) an item is cut into pieces of sixteen bytes, the last one filled with zeros. A piece of two
// little endian words low and high costs one multiplication. It is the step with which XXH3 takes in sixteen bytes, and
// uses its secret. A complete XXH3 would first branch on the length of the item, and for words no branch predictor
// guesses that.
//
//	h(piece) = the two halves of (low ^ S0)·(high ^ S1), xored          S0, S1 = the beginning of XXH3's secret
//	h(item)  = h(piece 1)·M^(p-1) + … + h(piece p)                      M = 0x165667919e3779f9
//	shingle  = mix(h(item 1)·B^(n-1) + … + h(item n))                   B = 0xff51afd7ed558ccd
//
// mix is the last step of XXH3, and the K code points of char:K are one item together. A shingle of words costs the
// same for every N, one of characters a multiplication for each sixteen bytes. No hash is a defence against someone who
// builds collisions on purpose, and none is needed: what they can gain is that their own documents count as copies.
//
// Eight bytes are folded together, and 64 are searched for spaces together, so that few branches depend on the text.
// Where amd64 has AVX2 and AVX-512 (kernels_amd64.s), more bytes, words and shingles are processed at once, with the
// same results. The build tag purego leaves these kernels out.
//
// The other hashes are taken of the shingle's text: from its first item to its last, and the spaces between, as they
// are in the normal form. That is what published settings mean by them. It costs more the longer a shingle is:
//
//	murmur3   the first half of MurmurHash3_x64_128, seed 0
//	xxh64     XXH64, seed 0
//	sha1      the first eight bytes of SHA-1, little endian, as datasketch and datatrove take them
package text
