package index_test

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain collects garbage seldom: the tests make much of it beside little that stays, and take a fourth less time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(800)
	os.Exit(m.Run())
}
