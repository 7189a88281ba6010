package takeover

import (
	"time"

	"github.com/rs/zerolog"

	"github.com/unecho/unecho/consumer/balance"
	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/journal"
	"github.com/unecho/unecho/consumer/measure"
	"github.com/unecho/unecho/consumer/member"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/consumer/standing"
	"github.com/unecho/unecho/sink"
)

// Setup is what the takeovers of a process have in common.
type Setup struct {
	Terms       protocol.Terms // without the duty: it is asked for each time
	LostOffsets []string       // those that are accepted, of each takeover
	Cluster     *cluster.Cluster
	Log         *journal.Log
	Replica     *member.Follower
	Topics      *routing.Topics
	Sink        sink.Params
	Incarnation balance.Incarnation
	Waits       bool // for a journal that is away: sessions pass documents on meanwhile
	Counters    *measure.Counters
	Waiting     *standing.WaitingList
	Ahead       time.Duration // counts as waited by a partition that begins to wait; for tests
	Logger      zerolog.Logger
}
