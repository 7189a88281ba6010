package memory

import (
	"math"
	"os"
	"runtime/debug"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/setting"
)

// besides is the bytes that the process may take besides the window before garbage is collected more often: buffers of
// the Kafka clients, batches in flight, and garbage.
const besides = int64(512 * setting.MiB)

// Bound bounds the memory of a service, and warns if it may take more than there is.
func Bound(c config.Config, logger zerolog.Logger) {
	limit(c.Judge.Duplicates.Remember)
	warnOfLimit(c, readLimits(), logger)
}

// limit tells Go's collector the window's bound. By itself it allows as much garbage as the window is large. The window
// holds no pointers, so collecting earlier costs next to nothing. GOMEMLIMIT outranks it.
func limit(w index.RememberParams) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	most := int64(math.MaxInt64)
	if bound := int64(w.Memory); bound > 0 {
		most = bound + bound/20 + besides
	}
	debug.SetMemoryLimit(most)
}
