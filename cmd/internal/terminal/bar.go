package terminal

import (
	"math"
	"strings"
)

// Bar fills a share, from 0 to 1, of this many columns, in eighths.
func Bar(share float64, columns int) string {
	eighths := int(math.Round(min(1, max(0, share)) * float64(8*columns)))
	text := strings.Repeat("█", eighths/8)
	if part := eighths % 8; part > 0 {
		text += string([]rune("▏▎▍▌▋▊▉")[part-1])
	}
	return text
}
