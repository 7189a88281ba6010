package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// usage is processor time, user and system.
type usage struct {
	own    time.Duration // of the contender's process: this one, which with kfake contains the broker, or another
	broker time.Duration // of the broker's process; 0 if it is unknown
}

func (u usage) minus(v usage) usage { return usage{own: u.own - v.own, broker: u.broker - v.broker} }

// meter reads the processor time that was used so far. The broker's process is known if it runs on this machine and the
// system describes processes in files. The time of other processes is counted in hundredths of a second.
type meter struct {
	own    int // the contender's process; 0 is this one
	broker int
}

// pidVariable holds the process id of the real Kafka, as `make bench` sets it.
const pidVariable = kafkaVariable + "_PID"

func brokerMeter() meter {
	pid, err := strconv.Atoi(os.Getenv(pidVariable))
	if err != nil {
		return meter{}
	}
	return meter{broker: pid}
}

func (m meter) read() usage {
	if m.own > 0 {
		return usage{own: ofProcess(m.own), broker: ofProcess(m.broker)}
	}
	var own syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &own); err != nil {
		return usage{}
	}
	return usage{own: time.Duration(own.Utime.Nano() + own.Stime.Nano()), broker: ofProcess(m.broker)}
}

// ofProcess reads utime and stime, fields 14 and 15 of proc(5)'s stat, in clock ticks of 10 ms. The second field is a
// name in parentheses, which may hold anything.
func ofProcess(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	if len(fields) < 13 {
		return 0
	}
	var ticks int
	for _, f := range fields[11:13] {
		n, err := strconv.Atoi(f)
		if err != nil {
			return 0
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
