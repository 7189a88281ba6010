package balance

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

// Incarnation tells processes of one name apart: who started later has the greater one. Each session joins the group
// with it in its metadata. Of all that Kafka shows of a static member only the member id and this change when another
// client takes its place: the client id and the host stay those of the first. Its end says whether the process is to
// stay alone in its group.
type Incarnation string

const (
	incarnationLen = 21
	incarnationTag = "unecho1 " // stands before it
	alone          = "1"
)

// NewIncarnation is that of a process which started then.
func NewIncarnation(started time.Time, staysAlone bool) Incarnation {
	end := "0"
	if staysAlone {
		end = alone
	}
	return Incarnation(fmt.Sprintf("%012x%08x", started.UnixMilli(), rand.Uint32()) + end)
}

// StaysAlone says whether the process is to stay alone in its group.
func (i Incarnation) StaysAlone() bool {
	return len(i) == incarnationLen && strings.HasSuffix(string(i), alone)
}

// YieldsTo says whether other may keep an instance that it has taken from us. It may if its process started later. An
// incarnation that is ours or earlier is a late request to join, which this process or one before it sent long ago.
// Nobody works under it, so the instance is taken back. So exactly one of two processes yields.
func (i Incarnation) YieldsTo(other Incarnation) bool { return other > i }

// foreign stands for a member that is no session of unecho, or of a version that did not tell its incarnation. It is
// greater than any.
const foreign = Incarnation("none of ours")

// IncarnationOf reads the incarnation of a member from what a settled group shows of it.
func IncarnationOf(m *kadm.DescribedGroupMember) Incarnation {
	metadata, ok := m.Join.AsConsumer()
	if !ok {
		return foreign
	}
	return IncarnationIn(metadata.UserData)
}

// IncarnationIn reads it from what a member added to its request to join.
func IncarnationIn(data []byte) Incarnation {
	at := len(data) - incarnationLen
	if at < 0 || !bytes.HasSuffix(data[:at], []byte(incarnationTag)) {
		return foreign
	}
	return Incarnation(data[at:])
}
