package snapshot

import (
	"fmt"
	"os"
)

// Process returns a name of this process as the holder of a lease: "pid 4711 on host-a".
func Process() string {
	host, err := os.Hostname()
	if err != nil {
		host = "an unknown host"
	}
	return fmt.Sprintf("pid %d on %s", os.Getpid(), host)
}
