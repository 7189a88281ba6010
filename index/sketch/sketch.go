package sketch

// A Sketch signs documents, one after the other, and compares what was kept of them. MinHash and SimHash both obey it, so
// that whoever finds and verifies candidates knows neither.
//
// It holds the document signed last, so each goroutine has its own. All of one kind made with equal Params yield equal keys
// and codes.
type Sketch interface {
	// Sign replaces the document by one with these shingle hashes, which it neither changes nor keeps. Their order doesn't
	// matter; how often each occurs does only in weighted sketches. Without shingles the document equals any other without,
	// so callers keep empty documents apart.
	Sign(shingles []uint64)

	// Bands is the number of band keys of each document.
	Bands() int

	// AppendKeys appends the document's band keys, width bytes each (4 to 8, little endian). Two documents of the same scope
	// are candidates if any keys of the same band are equal; keys of different bands or scopes are equal by chance only.
	AppendKeys(dst []byte, scope uint64, width int) []byte

	// Size is the number of bytes that AppendCodes appends.
	Size() int

	// AppendCodes appends the document's codes: what Similarity compares.
	AppendCodes(dst []byte) []byte

	// Similarity estimates how similar two documents are from their codes, as an exact fraction num/den from 0 to 1. It
	// leaves the document signed last alone. Codes that are not Size bytes long are similar to nothing: 0/1.
	Similarity(a, b []byte) (num, den uint32)

	// Algorithm names the function from shingles to keys and codes, and its version: such as "minhash/2". Settings are
	// not part of it.
	Algorithm() string
}
