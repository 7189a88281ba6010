package testbed

import "syscall"

// EndWithParent makes a process end even when this program is killed and can no longer see to that.
func EndWithParent(attr *syscall.SysProcAttr, signal syscall.Signal) *syscall.SysProcAttr {
	attr.Pdeathsig = signal
	return attr
}
