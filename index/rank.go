package index

// rank orders candidates, the least first. Its low rankBits bits are the candidate's number, the bits above them what
// it is ranked by.
type rank uint64

const rankBits = 48

func rankOf(by int, at ref) rank { return rank(by)<<rankBits | rank(at) }

func (r rank) ref() ref { return ref(r & (1<<rankBits - 1)) }

func (r rank) by() int { return int(r >> rankBits) }
