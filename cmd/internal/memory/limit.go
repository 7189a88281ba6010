package memory

import (
	"math"
	"os"
	"runtime/debug"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/config"
	"github.com/unecho/unecho/index/setting"
)

// besides is the bytes that the process may take besides the window before garbage is collected more often: buffers of
// the Kafka clients, batches in flight, and garbage.
const besides = int64(512 * setting.MiB)

// Bound bounds the memory of a service, and warns if it may take more than there is.
func Bound(c config.Config, logger zerolog.Logger) {
	limit(c)
	warnOfLimit(c, readLimits(), logger)
}

// limit tells Go's collector what the process may take. By itself it allows as much garbage as the window is large. The window
// holds no pointers, so collecting earlier costs next to nothing. GOMEMLIMIT outranks it.
func limit(c config.Config) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	most := int64(math.MaxInt64)
	if bound := mayTake(c); bound > 0 {
		most = bound
	}
	debug.SetMemoryLimit(most)
}
