package explain

import (
	"fmt"
	"strings"

	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index/setting"
)

// Text is for people.
func (p *Plan) Text() string {
	var b strings.Builder
	s := p.params.Duplicates
	b.WriteString(p.describe + "\n")
	if p.Rows > 0 {
		p.writeFound(&b)
	}
	if p.Candidates != nil {
		fmt.Fprintf(&b, "candidates  %.4f of the pairs of documents in the sample\n", *p.Candidates)
	}
	if p.Costs != nil {
		p.Costs.write(&b, s.MaxReferences)
	}
	from := "by the flags"
	if p.Sample > 0 {
		from = fmt.Sprintf("on average of %d", p.Sample)
	}
	fmt.Fprintf(&b, "\n%6d bytes a document, %s\n", p.PerDocument, from)
	for _, part := range []struct {
		bytes int64
		what  string
	}{
		{p.Parts.Entry, "offset, time, hash of the text"},
		{p.Parts.ID, "id"},
		{p.Parts.Evidence, "evidence, for verify: " + s.Verify},
		{p.Parts.Keys, fmt.Sprintf("keys of %d bands", p.Bands)},
		{p.Parts.Digest, "digest, by which unlike documents are told apart"},
		{p.Parts.Buckets, "places in the buckets"},
		{p.Parts.Bookkeeping, "bookkeeping"},
	} {
		fmt.Fprintf(&b, "%6d   %s\n", part.bytes, part.what)
	}
	if p.asked {
		fmt.Fprintf(&b, "\n%d documents take duplicates.remember.memory: %d (%s)\n", p.Documents, p.WindowBytes,
			terminal.Gibibytes(p.WindowBytes))
	} else {
		fmt.Fprintf(&b, "\nduplicates.remember.memory: %v holds %d documents\n", setting.Bytes(p.WindowBytes), p.Documents)
	}
	return b.String()
}
