package sink

// The client library writes timestamps in nanoseconds of 64 bits, rounded to milliseconds: those of the years 1677 to
// 2262. Any other would come out as another.
const (
	leastTime = -9223372036854 // ms since 1970
	mostTime  = 9223372036854
)

// Writable says whether an output record may have the timestamp of a source record, in ms since 1970. Where it may not,
// the source record belongs in rejected, with another timestamp: see Batch.RejectAt.
func Writable(ms int64) bool { return leastTime <= ms && ms <= mostTime }
