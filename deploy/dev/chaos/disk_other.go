//go:build unix && !linux

package main

import "errors"

// mount is known on Linux only.
func mount(string, int) error { return errors.ErrUnsupported }

func unmount(string) error { return errors.ErrUnsupported }
