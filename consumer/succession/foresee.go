package succession

import (
	"fmt"
	"slices"
	"strings"

	"github.com/unecho/unecho/consumer/routing"
)

// foresee looks whether readers have to look for the documents in other topics after a handover.
func (r *run) foresee() {
	if r.Back {
		return
	}
	for _, source := range r.sources {
		ours, theirs := outputs(r.newer.Routes.Text, source), outputs(r.older.Routes.Text, source)
		if ours != theirs {
			r.report.Elsewhere = append(r.report.Elsewhere,
				fmt.Sprintf("documents of %s go to %s, and now to %s", source, ours, theirs))
		}
	}
}

// outputs names the topics that a routing sends the documents of a source to.
func outputs(routes []byte, source string) string {
	unique, duplicate, rejected, written := routing.Outputs(routes, source)
	if !written {
		return "no topic"
	}
	all := slices.Compact([]string{unique, duplicate, rejected})
	if duplicate == "" {
		all = []string{unique, rejected}
	}
	if verdicts := routing.Verdicts(routes, source); verdicts != "" {
		all = append(all, verdicts)
	}
	return strings.Join(all, ", ")
}
