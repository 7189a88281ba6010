package sim

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain collects garbage seldom: the tests make much of it beside little that stays, and take little more than
// half the time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}
