package sketch

// Seeds keep the kinds of hashes apart: the first decimals of pi, as in Blowfish, for they hide no choice.
const (
	drawSeed = 0x243f6a8885a308d3
	bandSeed = 0xa4093822299f31d0

	occurrenceSeed = 0x452821e638d01377
	lowSeed        = 0xbe5466cf34e90c6c
	highSeed       = 0xc0ac29b7c97c50dd
	blockSeed      = 0x3f84d5b5b5470917
)

// Multipliers, odd and without structure, from the same decimals.
const (
	rowFactor  = 0x13198a2e03707345
	codeFactor = 0x082efa98ec4e6c89
)

// Mix spreads hashes evenly, one to one. Whoever makes shingle hashes with a weak function, such as FNV or a running number,
// passes them through it first; for those of package text, xxhash or murmur3 it is not needed.
func Mix(hash uint64) uint64 { return mix(hash) }

// mix is the finaliser of SplitMix64 (Stafford's variant 13): a bijection in which each bit depends on all.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
