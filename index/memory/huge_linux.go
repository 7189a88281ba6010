package memory

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// hugePage is the size of a large page: 2 MiB on amd64, and on arm64 with the usual pages of 4 KiB.
const hugePage = 2 << 20

// Huge asks for large pages for memory that is not touched yet, so that the processor needs fewer lookups in its page
// tables. Neighbouring memory in the same large pages is affected too. Nothing is promised: if the system has no large
// pages to give, they are small.
func Huge[T any](v []T) {
	if len(v) == 0 {
		return
	}
	at := uintptr(unsafe.Pointer(&v[0]))
	begin := at &^ (hugePage - 1)
	end := (at + uintptr(len(v))*unsafe.Sizeof(v[0]) + hugePage - 1) &^ (hugePage - 1)
	_, _, _ = unix.Syscall(unix.SYS_MADVISE, begin, end-begin, unix.MADV_HUGEPAGE) // a refusal leaves small pages
}
