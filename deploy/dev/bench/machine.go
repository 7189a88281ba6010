package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"
)

// machine describes the machine of the measurement.
func machine() string {
	return fmt.Sprintf("%s, %d cores, %s/%s, %s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH,
		runtime.Version())
}

// processor returns the model's name if the system tells it in a file.
func processor() string {
	file, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return "unknown processor"
	}
	defer file.Close() // only read
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if name, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// load says how busy the machine was before, if the system tells it in a file: what others take is missing for both
// contenders.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	minute, _, _ := strings.Cut(string(text), " ")
	return minute
}
