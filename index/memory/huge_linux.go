package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size of a large page: 2 MiB on amd64, and on arm64 with the usual pages of 4 KiB.
const hugePage = 2 << 20

// Huge has memory that is not touched yet come in large pages, so that the processor finds it by fewer looks into its page
// tables; what stands beside it in the same large pages as well. Nothing is promised: where the system has none to give, pages
// are small.
func Huge[T any](v []T) {
	if len(v) == 0 {
		return
	}
	at := uintptr(unsafe.Pointer(&v[0]))
	begin := at &^ (hugePage - 1)
	end := (at + uintptr(len(v))*unsafe.Sizeof(v[0]) + hugePage - 1) &^ (hugePage - 1)
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, begin, end-begin, unix.MADV_HUGEPAGE) // a refusal leaves small pages
}
