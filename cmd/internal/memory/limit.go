package memory

import (
	"math"
	"os"
	"runtime/debug"

	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// besides is the bytes that the process may take besides the window before garbage is collected more often: buffers of
// the Kafka clients, batches in flight, and garbage.
const besides = int64(512 * setting.MiB)

// Limit tells Go's collector the window's bound. By itself it allows as much garbage as the window is large. The window
// holds no pointers, so collecting earlier costs next to nothing. GOMEMLIMIT outranks it.
func Limit(w index.WindowParams) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	limit := int64(math.MaxInt64)
	if bound := int64(w.Bytes); bound > 0 {
		limit = bound + bound/20 + besides
	}
	debug.SetMemoryLimit(limit)
}
