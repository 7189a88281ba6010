//go:build unix && !linux

package testbed

import "syscall"

// EndWithParent changes nothing here: only Linux tells a process that its parent was killed.
func EndWithParent(attr *syscall.SysProcAttr, _ syscall.Signal) *syscall.SysProcAttr { return attr }
