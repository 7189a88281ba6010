package protocol

// Needless says below which offset the journal is needed by nobody: that of the second newest whole snapshot, so that one may
// be found damaged. The offsets of whole snapshots come newest first.
func Needless(whole []int64) (below int64, ok bool) {
	if len(whole) < 2 {
		return 0, false
	}
	return whole[1], true
}
