package report

import (
	"fmt"
	"time"

	"github.com/unecho/unecho/cmd/internal/memory"
	"github.com/unecho/unecho/cmd/internal/terminal"
)

// Cost is what a run over files took. Its JSON is a promise to scripts.
type Cost struct {
	Seconds            float64 `json:"seconds"`
	DocumentsPerSecond float64 `json:"documents_per_second"`
	PeakRSSBytes       int64   `json:"peak_rss_bytes"`
}

// NewCost is that of a run that has read so many documents.
func NewCost(documents int64, took time.Duration) Cost {
	c := Cost{Seconds: took.Seconds(), PeakRSSBytes: memory.Peak()}
	if c.Seconds > 0 {
		c.DocumentsPerSecond = float64(documents) / c.Seconds
	}
	return c
}

// String is for people.
func (c Cost) String() string {
	return fmt.Sprintf("in %.1f s (%s documents/s), peak memory %d MB", c.Seconds, terminal.Grouped(int(c.DocumentsPerSecond)),
		c.PeakRSSBytes>>20)
}
