package sketch

// A Sketch signs documents, one after the other, and compares what was kept of them. MinHash and SimHash both implement
// it, so code that finds and verifies candidates need not know which it has.
//
// It holds the document signed last, so each goroutine has its own. Sketches of one kind with equal Params yield equal
// keys and codes.
type Sketch interface {
	// Sign replaces the document by one with these shingle hashes, which it neither changes nor keeps. Their order does
	// not matter. How often each occurs matters only in weighted sketches. A document without shingles would equal any
	// other without, so callers must treat empty documents separately.
	Sign(shingles []uint64)

	// Bands returns the number of band keys of each document.
	Bands() int

	// AppendKeys appends the document's band keys, width bytes each (4 to 8, little endian). Two documents of the same
	// scope are candidates if any keys of the same band are equal; keys of different bands or scopes are equal by
	// chance only.
	AppendKeys(dst []byte, scope uint64, width int) []byte

	// Size returns the number of bytes that AppendCodes appends.
	Size() int

	// AppendCodes appends the document's codes, which Similarity compares.
	AppendCodes(dst []byte) []byte

	// Similarity estimates from their codes how similar two documents are, as an exact fraction num/den from 0 to 1. It
	// does not change the document signed last. Codes that are not Size bytes long are similar to nothing: 0/1.
	Similarity(a, b []byte) (num, den uint32)

	// Algorithm returns the name and version of the function from shingles to keys and codes, such as "minhash/2".
	// Settings are not part of it.
	Algorithm() string
}
