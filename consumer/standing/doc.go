// Package standing is what sessions show of themselves: whether they would forward a document that came now, how far they
// have come in what they read, and which partitions wait for a person. The sessions tell it, the service looks. Nothing
// that a session does depends on it.
package standing
