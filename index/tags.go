package index

import (
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/window"
)

// FineTag makes the tag of a fine key.
func FineTag(scope, a, b uint64) uint32 { return window.TagOf(compare.FineKey(scope, a, b)) }
