package main

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// TestMeter takes this process for the broker: both readings must see the same work.
func TestMeter(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("this system does not tell of processes in files: ", err)
	}
	t.Setenv(pidVariable, strconv.Itoa(os.Getpid()))
	m := brokerMeter()
	before := m.read()
	for m.read().minus(before).own < 200*time.Millisecond {
	}
	used := m.read().minus(before)
	if d := used.broker - used.own; d < -30*time.Millisecond || d > 30*time.Millisecond {
		t.Errorf("read as the broker %s, read as this process %s", used.broker, used.own)
	}
	t.Setenv(pidVariable, "")
	if used := (meter{own: os.Getpid()}).read().own; used < 200*time.Millisecond {
		t.Errorf("as another process, this one used %s", used)
	}
	if used := brokerMeter().read(); used.broker != 0 {
		t.Errorf("an unknown broker used %s", used.broker)
	}
}
