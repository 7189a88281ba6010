package consumer

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// incarnation tells processes of one name apart: who started later has the greater one. It is the end of the client ids of
// its sessions, because that is what the group shows of a member in whatever state it is.
type incarnation string

const incarnationLen = 20

func newIncarnation(started time.Time) incarnation {
	return incarnation(fmt.Sprintf("%012x%08x", started.UnixMilli(), rand.Uint32()))
}

func (i incarnation) clientID(base string) string { return base + "-" + string(i) }

// yieldsTo says whether a client with this id, which has taken an instance of ours, may keep it. One of a process that
// started later may, and one that is no session of ours at all. A request to join that this process, or one before it, has
// sent long ago may arrive only now: that is nobody, and is taken back. So of two processes exactly one yields.
func (i incarnation) yieldsTo(clientID string) bool {
	at := strings.LastIndexByte(clientID, '-') + 1
	other := clientID[at:]
	return len(other) != incarnationLen || incarnation(other) > i
}
