package main

import (
	"fmt"
	"os"
	"runtime/pprof"
)

// profile is a CPU profile of the measured part of one run. A nil profile does nothing.
type profile struct {
	file *os.File
	err  error
}

func newProfile(name string) (*profile, error) {
	if name == "" {
		return nil, nil // none is asked for
	}
	file, err := os.Create(name)
	if err != nil {
		return nil, fmt.Errorf("write profile: %w", err)
	}
	return &profile{file: file}, nil
}

func (p *profile) begin() {
	if p != nil {
		p.err = pprof.StartCPUProfile(p.file)
	}
}

func (p *profile) end() {
	if p != nil {
		pprof.StopCPUProfile()
	}
}

func (p *profile) close() error {
	if p == nil {
		return nil
	}
	if err := p.file.Close(); p.err == nil {
		p.err = err
	}
	return p.err
}
