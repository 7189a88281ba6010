package index_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/unecho/unecho/index"
)

func TestExperiment(t *testing.T) {
	if os.Getenv("EXP") == "" {
		t.Skip()
	}
	for _, common := range []int{160, 170} {
		for _, where := range []string{"anywhere", "unique", "block"} {
			r := rand.New(rand.NewPCG(uint64(common), 2))
			all := templated(r, 10000, 200, common)
			copies := map[int]int{}
			for i := 0; i < 1000; i++ {
				k := i*10 + r.IntN(10)
				c := slices.Clone(all[k])
				switch where {
				case "anywhere":
					for j := range 5 {
						c[j*40+r.IntN(38)+1] = words(r, 1)[0]
					}
				case "unique":
					for j := range 5 {
						c[common+j*((200-common)/5)+1] = words(r, 1)[0]
					}
				case "block":
					copy(c[common:], words(r, 13))
				}
				copies[len(all)] = k
				all = append(all, c)
			}
			order := r.Perm(len(all))
			p := index.DefaultParams()
			s := newStand(t, p)
			found := map[int]bool{}
			seen := map[int]bool{}
			late, early := 0, 0
			src := map[int]int{}
			for _, i := range order {
				if k, ok := copies[i]; ok {
					src[i] = k
					src[k] = i
				}
			}
			cut := 0
			for _, i := range order {
				v := s.judge([]byte(strings.Join(all[i], " ")))
				if o, ok := src[i]; ok && seen[o] {
					if v.Matched() {
						found[i] = true
						late++
					} else {
						early++
					}
				}
				seen[i] = true
			}
			st := s.replica.Stats()
			fmt.Println(common, where, "found", late, "missed", early, "cand", st.Candidates, "cut", st.Cut, "unver", st.Unverified, cut)
		}
	}
}
