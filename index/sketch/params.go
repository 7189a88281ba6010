package sketch

import "fmt"

// MinHashParams are the settings of a MinHash sketch.
type MinHashParams struct {
	Slots    int     // an even number, 16 to 1024
	Banding  Banding // bands of the slots, from Plan or chosen by hand; at most Slots in all
	Weighted bool    // shingles count as often as they occur: the similarity is that of multisets
}

// Validate says what is impossible, and what would be possible.
func (p MinHashParams) Validate() error {
	if err := checkSlots(p.Slots); err != nil {
		return err
	}
	return p.Banding.Validate(p.Slots)
}

// SimHashParams are the settings of a SimHash sketch.
type SimHashParams struct {
	Bits     int  // 32, 64 or 128
	Distance int  // documents whose sketches differ in up to this many bits become candidates; see DistanceAt
	Weighted bool // shingles count as often as they occur
}

// Validate says what is impossible, and what would be possible.
func (p SimHashParams) Validate() error {
	if err := checkSize(p.Bits); err != nil {
		return err
	}
	if p.blocks() == 0 {
		return fmt.Errorf("a distance of %d of %d bits is impossible by keys; possible is 0 to %d", p.Distance, p.Bits, p.most())
	}
	return nil
}
