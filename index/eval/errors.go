package eval

import "errors"

// ErrPairs says that there are more pairs than there is memory for.
var ErrPairs = errors.New("too many pairs")

// MostPairs fit into 1 GiB. A corpus with more consists mostly of copies.
const MostPairs = 10_000_000
