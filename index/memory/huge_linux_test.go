package memory

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
)

// TestHuge: the mapping of the memory has the flag that asks for large pages, and its content is unchanged.
func TestHuge(t *testing.T) {
	v := make([]uint64, 1<<18)
	v[1] = 7
	Huge(v)
	if flags := flagsOf(t, uintptr(unsafe.Pointer(&v[1]))); !strings.Contains(flags, " hg") {
		t.Errorf("the mapping has the flags %q", flags)
	}
	if v[0] != 0 || v[1] != 7 {
		t.Errorf("the memory begins with %d, %d", v[0], v[1])
	}
}

// flagsOf returns the kernel's flags of the mapping around an address.
func flagsOf(t *testing.T, address uintptr) string {
	t.Helper()
	f, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	here := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var begin, end uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &begin, &end); n == 2 {
			here = begin <= address && address < end
		}
		if flags, ok := strings.CutPrefix(lines.Text(), "VmFlags:"); ok && here {
			return flags
		}
	}
	t.Fatalf("no mapping around %x", address)
	return ""
}
