package session

import (
	"regexp"
	"time"

	"github.com/unecho/unecho/consumer/routing"
	"github.com/unecho/unecho/index/setting"
)

// Params say which group this process takes part in, and how.
type Params struct {
	Group      string `key:"group" doc:"the consumer group, of this deployment alone; its members share the work and the journal, GROUP.journal" example:"news-filter"`
	Succeeds   string `key:"succeeds" doc:"the group that this one is to take over from: it fills its window with what that group has found unique and forwards nothing, until unecho takeover; once it has taken over, this says nothing more" example:"news-filter-1"`
	Membership `key:"-"`

	// These are no settings. Tests have others than the defaults.
	PollRecords        int           `key:"-"` // documents that one transaction takes at most
	FetchBytes         setting.Bytes `key:"-"` // how much a session asks one broker for at a time; it holds twice as much of each
	TransactionTimeout time.Duration `key:"-"` // a transaction open for so long is aborted by the broker
	MaxLag             time.Duration `key:"-"` // a member whose replica needs longer for what the journal holds leaves the group until it has caught up
	StartTimeout       time.Duration `key:"-"` // how long a start waits for Kafka where it cannot be reached, as while a broker restarts
}

// Membership says how this process is a member of its group.
type Membership struct {
	Member         string        `key:"member" doc:"this process's name in the group; empty takes the lowest free one" example:"unecho-0"`
	Sessions       int           `key:"sessions" doc:"sessions of this process, each a member of the group with transactions of its own"`
	SessionTimeout time.Duration `key:"session_timeout" doc:"a member unheard of for so long loses its partitions" example:"6s"`
	DrainTimeout   time.Duration `key:"drain_timeout" doc:"bound on finishing, committing and the last snapshot after SIGTERM" example:"20s"`
	KeepMembership bool          `key:"keep_membership" doc:"stay in the group when stopping, for rolling restarts: no rebalance if back within session_timeout"`
}

// SourceParams say what is read.
type SourceParams struct {
	Topics        []string      `key:"topics" doc:"topics of documents; there is source.pattern, too" called:"topics" example:"[news]"`
	Pattern       string        `key:"pattern" doc:"a regular expression (RE2) of the whole name of topics that are read as well, also those that come while members run, from their start; outputs, journals and internal topics never are" example:"news\\..+"`
	MaxBatchBytes setting.Bytes `key:"-"` // what one batch may take in memory when unpacked; the documents of a larger one are rejected
	When          []string      `key:"when" doc:"conditions that a document must meet to be checked; what does not goes to the unique topic as it is, marked by unecho-unchecked; header:NAME or field:PATH with =, !=, exists or missing, size with <, <=, >, >=, =, !=" example:"['header:lang = en', 'size >= 200']" verdict:"true" omit:""`
	Start         string        `key:"start" doc:"where a topic of source.topics begins that the group has never read" enum:"earliest|latest"`
}

// DefaultParams are the defaults of design sections 5 and 11; the group has none.
func DefaultParams() Params {
	return Params{
		Membership:  Membership{Sessions: 2, SessionTimeout: 6 * time.Second, DrainTimeout: 20 * time.Second},
		PollRecords: 5000, FetchBytes: 16 * setting.MiB, TransactionTimeout: 10 * time.Second, MaxLag: 30 * time.Second,
		StartTimeout: 15 * time.Second,
	}
}

// DefaultSourceParams starts at the earliest offset; the topics have no default.
func DefaultSourceParams() SourceParams {
	return SourceParams{MaxBatchBytes: 32 * setting.MiB, Start: "earliest"}
}

// groupName is what a group may be called, and a member.
var groupName = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,200}$`)

// Validate returns what is wrong with the groups.
func (p Params) Validate() []setting.Mistake {
	var m []setting.Mistake
	switch {
	case p.Group == "":
		m = append(m, setting.Mistake{
			Key: "group", Problem: "is missing",
			Remedy: "name the consumer group of this deployment, as in group: news-filter; no other deployment may have that name",
		})
	case !groupName.MatchString(p.Group):
		m = append(m, setting.Wrong("group", p.Group, "is no name for a group",
			"write 1 to 200 letters, digits, dots, underscores or dashes"))
	}
	if p.Succeeds != "" && !groupName.MatchString(p.Succeeds) {
		m = append(m, setting.Wrong("succeeds", p.Succeeds, "is no name for a group",
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
		m = append(m, setting.Wrong("member", p.Member, "is no name for a member",
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

// topicName is what Kafka takes, apart from "." and "..".
var topicName = regexp.MustCompile(`^[a-zA-Z0-9._-]{1,249}$`)

// Validate returns what is wrong.
func (p SourceParams) Validate() []setting.Mistake {
	var m []setting.Mistake
	if len(p.Topics) == 0 && p.Pattern == "" {
		m = append(m, setting.Mistake{
			Key: "topics", Problem: "is missing",
			Remedy: "name the topics of documents, as in topics: [news], or write a pattern that they fit",
		})
	}
	seen := map[string]bool{}
	for _, t := range p.Topics {
		switch {
		case t == "" || seen[t]:
			m = append(m, setting.Wrong("topics", t, "is empty or named twice", "name each topic once"))
		case !topicName.MatchString(t) || t == "." || t == "..":
			m = append(m, setting.Wrong("topics", t, "is no name of a topic",
				"write whole names (source.pattern is for patterns), and commas between them: source.topics=news,blogs on a command "+
					"line, [news, blogs] in a file"))
		}
		seen[t] = true
	}
	m = append(m, p.wrongPattern()...)
	return append(m, setting.Misspelt(p)...)
}

func (p SourceParams) wrongPattern() []setting.Mistake {
	if _, err := p.Choice().Compile(); err != nil {
		return []setting.Mistake{setting.Wrong("pattern", p.Pattern, "is no regular expression: "+err.Error(),
			`write one of a topic's whole name, as in 'news\..+'; a dot that is meant as one needs a backslash`)}
	}
	if p.Pattern != "" && len(p.Topics) == 0 && p.Start == "latest" {
		return []setting.Mistake{setting.Wrong("start", p.Start,
			"says nothing of topics that come by source.pattern: they begin at their start",
			"write earliest, or name the topics that are to begin at their end in source.topics")}
	}
	return nil
}

// Choice says which topics are read.
func (p SourceParams) Choice() routing.Source {
	return routing.Source{Topics: p.Topics, Pattern: p.Pattern, Start: p.Start}
}

// Followed is the journal of the group that this one is to take over from.
func (p *Params) Followed() string { return p.Succeeds + ".journal" }
