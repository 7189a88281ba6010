package doctor

import (
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/unecho/unecho/consumer/balance"
	"github.com/unecho/unecho/consumer/cluster"
)

// A second member beside one that stays alone is a problem, whichever of the two the doctor is asked for. A restart is
// none, and neither is a group in which nobody stays alone.
func TestAlone(t *testing.T) {
	t.Parallel()
	session := func(process string, staysAlone bool) cluster.Member {
		told := balance.New(balance.NewIncarnation(time.Now(), staysAlone)).JoinGroupMetadata([]string{"news"}, nil, -1)
		return cluster.Member{Name: process + "-s0", Process: process, Told: userData(told)}
	}
	single, other, further := session("a", true), session("b", false), session("c", false)
	for name, c := range map[string]struct {
		in          []cluster.Member
		only, known bool
		want        Level
		what        string
	}{
		"nobody":                         {only: true, known: true},
		"several":                        {in: []cluster.Member{other, further}, known: true},
		"this one":                       {in: []cluster.Member{single, single}, only: true, known: true},
		"perhaps another one":            {in: []cluster.Member{single}, only: true, want: Note, what: "no snapshot of it is here"},
		"one that stays alone":           {in: []cluster.Member{single}, known: true, want: Problem, what: "member a stays alone"},
		"a second one":                   {in: []cluster.Member{single, other}, known: true, want: Problem, what: "2 members are in the group"},
		"others where one is to be only": {in: []cluster.Member{other, further}, only: true, known: true, want: Problem, what: "2 members"},
	} {
		found := alone(&cluster.Membership{Members: c.in}, c.only, c.known)
		if c.want == "" {
			if len(found) > 0 {
				t.Errorf("%s: the doctor finds %+v, want nothing", name, found)
			}
			continue
		}
		if len(found) != 1 || found[0].Level != c.want || !strings.Contains(found[0].What, c.what) ||
			!strings.Contains(found[0].Remedy, "for: all, snapshots.postgres or snapshots.s3") {
			t.Errorf("%s: the doctor finds %+v, want %s with %q and the stores that several need", name, found, c.want, c.what)
		}
	}
}

// userData is what a member added to its request to join.
func userData(told []byte) []byte {
	var m kmsg.ConsumerMemberMetadata
	_ = m.ReadFrom(told) // it was written a moment ago
	return m.UserData
}
