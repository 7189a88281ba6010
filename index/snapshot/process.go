package snapshot

import (
	"fmt"
	"os"
)

// Process names this process as the holder of a lease: "pid 4711 on host-a".
func Process() string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host"
	}
	return fmt.Sprintf("pid %d on %s", os.Getpid(), host)
}
