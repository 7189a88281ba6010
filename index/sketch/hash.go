package sketch

// Seeds keep the kinds of hashes apart: the first decimals of pi, as in Blowfish, for they hide no choice.
const (
	roundSeed = 0x243f6a8885a308d3
	slotSeed  = 0x13198a2e03707344
	bandSeed  = 0xa4093822299f31d0
	codeSeed  = 0x082efa98ec4e6c89

	occurrenceSeed = 0x452821e638d01377
	lowSeed        = 0xbe5466cf34e90c6c
	highSeed       = 0xc0ac29b7c97c50dd
	blockSeed      = 0x3f84d5b5b5470917
)

// mix is the finaliser of SplitMix64 (Stafford's variant 13): a bijection in which each bit depends on all.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
