package text

// base of the polynomial: odd, and 5 modulo 8, so that its powers differ in as many bits as those of an odd number can.
const base = 0xff51afd7ed558ccd

// mix is the finaliser of SplitMix64 (Stafford's variant 13): a bijection in which each bit depends on all.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

func power(x uint64, n int) uint64 {
	p := uint64(1)
	for range n {
		p *= x
	}
	return p
}
