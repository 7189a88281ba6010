package naive

// Stats counts what a Twin did.
type Stats struct {
	Applied    int // records that applied, settings included
	Ignored    int // records that changed nothing: other settings, another epoch
	Judged     int // entries that got a verdict
	Known      int // entries below base or already held
	Reentered  int // representatives that entered the window again
	Kept       int // copies indexed
	MadeUp     int // copies that came through because the emission before them was void
	Full       int // keys that have as many documents as are met (MaxReferences)
	Fine       int // documents that entered under fine keys
	Unverified int // candidates left out, beyond MaxCandidates
	TooCostly  int // candidates left out, beyond MaxWork
	Unreadable int // candidates whose evidence, or the entry's own, could not be read: they never match
}
