package ops

import (
	"fmt"
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// Bounds of complaints in the log: whoever reaches the address can cause them.
const (
	maxComplaints   = 10
	complaintsEvery = time.Minute
)

// troubles writes the complaints of net/http and of the metrics library into the log, so many in a while.
type troubles struct {
	logger zerolog.Logger
	now    func() time.Time

	mu      sync.Mutex
	began   time.Time
	told    int
	leftOut int
}

func newTroubles(logger zerolog.Logger) *troubles { return &troubles{logger: logger, now: time.Now} }

// Write logs one complaint.
func (t *troubles) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := t.now(); now.Sub(t.began) >= complaintsEvery {
		t.began, t.told = now, 0
	}
	if t.told++; t.told > maxComplaints {
		t.leftOut++
		return len(p), nil
	}
	e := t.logger.Warn().Bytes("because", p)
	if t.leftOut > 0 {
		e.Int("left_out", t.leftOut)
		t.leftOut = 0
	}
	e.Msg("a request for health or metrics went wrong")
	return len(p), nil
}

// Println logs one complaint.
func (t *troubles) Println(v ...any) { _, _ = fmt.Fprint(t, v...) }
