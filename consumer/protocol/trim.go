package protocol

// Needless returns the offset below which nobody needs the journal: that of the second newest whole snapshot. So one
// snapshot may be found damaged. The offsets of whole snapshots come newest first.
func Needless(whole []int64) (below int64, ok bool) {
	if len(whole) < 2 {
		return 0, false
	}
	return whole[1], true
}
