package testbed

import "syscall"

// EndWithParent makes a process end even if this program is killed and can no longer end it.
func EndWithParent(attr *syscall.SysProcAttr, signal syscall.Signal) *syscall.SysProcAttr {
	attr.Pdeathsig = signal
	return attr
}
