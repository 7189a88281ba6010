package sketch

// Seeds keep the kinds of hashes apart. They are the first decimals of pi, as in Blowfish, which shows that they were
// not chosen for a purpose.
const (
	drawSeed   = 0x243f6a8885a308d3
	bandSeed   = 0xa4093822299f31d0
	blockSeed  = 0xbe5466cf34e90c6c
	firstSeed  = 0x3f84d5b5b5470917
	secondSeed = 0xc0ac29b7c97c50dd
)

// Multipliers, odd and without structure, from the same decimals.
const (
	rowFactor        = 0x13198a2e03707345
	codeFactor       = 0x082efa98ec4e6c89
	occurrenceFactor = 0x452821e638d01377
)

// Mix is the finaliser of SplitMix64 (Stafford's variant 13). It is one to one, and each bit of the result depends on
// all. Pass shingle hashes from a weak function, such as FNV or a running number, through it before they are signed.
// Those of xxhash, murmur3 or package text do not need it.
func Mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
