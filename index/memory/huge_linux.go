package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size of a large page: 2 MiB on amd64, and on arm64 with the usual pages of 4 KiB.
const hugePage = 2 << 20

// Huge has the memory around v, which is not touched yet, come in large pages, so that the processor finds it by fewer looks
// into its page tables. Nothing is promised: where the system has none to give, pages are small.
func Huge[T any](v *T) {
	begin := uintptr(unsafe.Pointer(v)) &^ (hugePage - 1)
	end := (uintptr(unsafe.Pointer(v)) + unsafe.Sizeof(*v) + hugePage - 1) &^ (hugePage - 1)
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, begin, end-begin, unix.MADV_HUGEPAGE) // a refusal leaves small pages
}
