//go:build unix && !linux

package main

import "errors"

// mount works on Linux only.
func mount(string, int) error { return errors.ErrUnsupported }

func unmount(string) error { return errors.ErrUnsupported }
