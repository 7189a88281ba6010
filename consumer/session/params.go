package session

import (
	"regexp"
	"time"

	"github.com/unecho/unecho/index/setting"
)

// Params say which group this process takes part in, and how.
type Params struct {
	Group      string `key:"group" doc:"the consumer group of this deployment alone; its members share the work and the journal, GROUP.journal" example:"news-filter"`
	Succeeds   string `key:"succeeds" doc:"the group to take over from. Until unecho takeover, this group fills its window with that group's unique documents and forwards nothing. After the takeover the setting has no effect" example:"news-filter-1" advanced:"true"`
	Membership `key:"-"`

	// These are no settings. Tests have others than the defaults.
	PollRecords        int           `key:"-"` // documents that one transaction takes at most
	MaxBatchBytes      setting.Bytes `key:"-"` // what one batch may take in memory when unpacked; the documents of a larger one are rejected
	FetchBytes         setting.Bytes `key:"-"` // how much a session asks one broker for at a time; it holds twice as much of each
	TransactionTimeout time.Duration `key:"-"` // a transaction open for so long is aborted by the broker
	MaxLag             time.Duration `key:"-"` // a member whose replica needs longer for what the journal holds leaves the group until it has caught up
	StartTimeout       time.Duration `key:"-"` // how long a start waits for Kafka where it cannot be reached, as while a broker restarts
	CoordinatorTimeout time.Duration `key:"-"` // how long a start waits for a coordinator: a busy cluster takes longer for the topic that its first one needs
}

// Membership says how this process is a member of its group.
type Membership struct {
	Member         string        `key:"member" doc:"this process's name in the group; empty takes the lowest free one" example:"unecho-0"`
	Sessions       int           `key:"sessions" doc:"sessions of this process; each is a member of the group with its own transactions"`
	SessionTimeout time.Duration `key:"session_timeout" doc:"a member that is silent for so long loses its partitions" example:"6s"`
	DrainTimeout   time.Duration `key:"drain_timeout" doc:"most time after SIGTERM for finishing, committing and the last snapshot" example:"20s"`
	KeepMembership bool          `key:"keep_membership" doc:"stay in the group when stopping, for rolling restarts: no rebalance if back within session_timeout"`
}

// DefaultParams are the defaults of design sections 5 and 11; the group has none.
func DefaultParams() Params {
	return Params{
		Membership:  Membership{Sessions: 2, SessionTimeout: 6 * time.Second, DrainTimeout: 20 * time.Second},
		PollRecords: 5000, MaxBatchBytes: 32 * setting.MiB, FetchBytes: 16 * setting.MiB, TransactionTimeout: 10 * time.Second,
		MaxLag: 30 * time.Second, StartTimeout: 15 * time.Second, CoordinatorTimeout: time.Minute,
	}
}

// groupName is what a group may be called, and a member.
var groupName = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,200}$`)

// Validate returns what is wrong with the groups.
func (p Params) Validate() []setting.Mistake {
	var m []setting.Mistake
	switch {
	case p.Group == "":
		m = append(m, setting.Wrong("group", "", "is missing",
			"name the consumer group of this deployment, as in group: news-filter; no other deployment may have that name"))
	case !groupName.MatchString(p.Group):
		m = append(m, setting.Wrong("group", p.Group, "is not a name for a group",
			"write 1 to 200 letters, digits, dots, underscores or dashes"))
	}
	if p.Succeeds != "" && !groupName.MatchString(p.Succeeds) {
		m = append(m, setting.Wrong("succeeds", p.Succeeds, "is not a name for a group",
			"write the name of the group that this one is to take over from"))
	}
	if p.Succeeds != "" && p.Succeeds == p.Group {
		m = append(m, setting.Wrong("succeeds", p.Succeeds, "is this group itself", "give the new deployment a group of its own"))
	}
	return m
}

// Validate returns what is wrong.
func (p Membership) Validate() []setting.Mistake {
	var m []setting.Mistake
	if p.Member != "" && !groupName.MatchString(p.Member) {
		m = append(m, setting.Wrong("member", p.Member, "is not a name for a member",
			"write 1 to 200 letters, digits, dots, underscores or dashes"))
	}
	if p.Sessions < 1 || p.Sessions > 64 {
		m = append(m, setting.Wrong("sessions", p.Sessions, "is out of range", "write 1 to 64; 2 keep most machines busy"))
	}
	for _, d := range []struct {
		key   string
		value time.Duration
		high  time.Duration
	}{
		{"session_timeout", p.SessionTimeout, 10 * time.Minute},
		{"drain_timeout", p.DrainTimeout, time.Hour},
	} {
		if d.value < time.Second || d.value > d.high {
			m = append(m, setting.Wrong(d.key, d.value, "is out of range", "write a duration from 1s to "+d.high.String()))
		}
	}
	return m
}

// Followed is the journal of the group that this one is to take over from.
func (p *Params) Followed() string { return p.Succeeds + ".journal" }
