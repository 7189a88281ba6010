package index

import "github.com/unecho/unecho/index/window"

// rank orders candidates, the least first. Its low window.RefBits bits are the candidate's number, the bits above them
// what it is ranked by.
type rank uint64

func rankOf(by int, at window.Ref) rank { return rank(by)<<window.RefBits | rank(at) }

func (r rank) ref() window.Ref { return window.Ref(r & (1<<window.RefBits - 1)) }

func (r rank) by() int { return int(r >> window.RefBits) }
