package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/unecho/unecho/cmd/internal/dedup"
)

// dedupOutputs are the files that dedup writes. Those that can be are written as the verdicts fall; what needs to know the
// clusters waits for the end, the documents meanwhile in a temporary file.
type dedupOutputs struct {
	unique, duplicates, pairs, clusters, rejected *resultFile // nil if not asked for

	counts dedup.Counts
	groups *dedup.Groups // nil where nothing waits
	later  *spool        // nil where the unique documents don't wait
	line   []byte
}

func openDedupOutputs(cmd *cobra.Command) (*dedupOutputs, error) {
	d := &dedupOutputs{}
	asked := map[string]**resultFile{
		"unique": &d.unique, "duplicates": &d.duplicates, "pairs": &d.pairs, "clusters": &d.clusters, "rejected": &d.rejected,
	}
	onStdout := ""
	none := !flagBool(cmd, "json")
	for _, name := range []string{"unique", "duplicates", "pairs", "clusters", "rejected"} {
		path := cmd.Flag(name).Value.String()
		if path == "" {
			continue
		}
		none = false
		if path == "-" && onStdout != "" {
			return nil, usageError{fmt.Errorf("--%s and --%s cannot both go to standard output", onStdout, name)}
		}
		if path == "-" {
			onStdout = name
		}
		out, err := newResultFile(path, cmd.OutOrStdout())
		if err != nil {
			return nil, errors.Join(err, d.close())
		}
		*asked[name] = out
	}
	if none {
		d.unique, _ = newResultFile("-", cmd.OutOrStdout())
	}
	return d, d.prepare(cmd.Flag("representative").Value.String())
}

// prepare finds out what waits for the end.
func (d *dedupOutputs) prepare(word string) (err error) {
	choice, ok := map[string]dedup.Representative{"first": dedup.First, "last": dedup.Last, "longest": dedup.Longest}[word]
	if !ok {
		return usageError{fmt.Errorf("--representative %s: write first, last or longest", word)}
	}
	waits := choice != dedup.First
	if waits || d.clusters != nil {
		d.groups = dedup.NewGroups(choice)
	}
	if waits && d.unique != nil {
		d.later, err = newSpool()
	}
	return err
}

// waits says that who is unique is known only at the end.
func (d *dedupOutputs) waits() bool {
	return d.groups != nil && (d.later != nil || d.groups.Choice() != dedup.First)
}

func (d *dedupOutputs) add(o *dedup.Outcome) error {
	d.counts.Add(o)
	if d.groups != nil {
		d.groups.Add(o)
		if o.Match != nil {
			d.groups.Join(o.Match.Offset, o.Number, o.Match.Similarity, o.Match.Method)
		}
	}
	switch {
	case o.Rejected != nil:
		return d.rejected.json(rejectedLine{string(o.Name), string(o.Rejected.Reason), o.Rejected.Detail})
	case o.Match != nil:
		return d.addDuplicate(o)
	case d.later != nil:
		return d.later.add(o.Number, o.Raw)
	}
	return d.unique.raw(o.Raw)
}

func (d *dedupOutputs) addDuplicate(o *dedup.Outcome) error {
	m := o.Match
	if d.pairs != nil {
		d.line = appendTSV(d.line[:0], m.ID, string(o.Name), fourPlaces(m.Similarity.TenThousandths()))
		if err := d.pairs.raw(d.line); err != nil {
			return err
		}
	}
	if d.later != nil {
		if err := d.later.add(o.Number, o.Raw); err != nil {
			return err
		}
	}
	if d.waits() {
		return nil
	}
	return d.duplicates.json(duplicateLine{string(o.Name), m.ID, json.Number(fourPlaces(m.Similarity.TenThousandths())), m.Method.String(), m.ID})
}

// finish writes what has waited, and everything out.
func (d *dedupOutputs) finish() error {
	if d.groups != nil {
		if err := d.finishGroups(d.groups); err != nil {
			return err
		}
	}
	var all []error
	for _, out := range []*resultFile{d.unique, d.duplicates, d.pairs, d.clusters, d.rejected} {
		if out != nil {
			all = append(all, out.Flush())
		}
	}
	return errors.Join(all...)
}

func (d *dedupOutputs) finishGroups(g *dedup.Groups) error {
	g.Choose()
	for i := range g.Len() {
		cluster := g.Cluster(i)
		if d.clusters != nil {
			d.line = appendTSV(d.line[:0], string(g.Name(cluster)), string(g.Name(i)))
			if err := d.clusters.raw(d.line); err != nil {
				return err
			}
		}
		if !d.waits() || cluster == i {
			continue
		}
		other, similarity, method := g.Partner(i)
		err := d.duplicates.json(duplicateLine{
			string(g.Name(i)), string(g.Name(other)), json.Number(fourPlaces(similarity.TenThousandths())), method.String(), string(g.Name(cluster)),
		})
		if err != nil {
			return err
		}
	}
	if d.later == nil {
		return nil
	}
	return d.later.each(func(number int64, raw []byte) error {
		if g.Cluster(int(number)) != int(number) {
			return nil
		}
		return d.unique.raw(raw)
	})
}

func (d *dedupOutputs) close() error {
	var all []error
	for _, out := range []*resultFile{d.unique, d.duplicates, d.pairs, d.clusters, d.rejected} {
		all = append(all, out.close())
	}
	if d.later != nil {
		all = append(all, d.later.close())
	}
	return errors.Join(all...)
}

// duplicateLine is a line of --duplicates. Its JSON is a promise to scripts.
type duplicateLine struct {
	ID         string      `json:"id"`
	MatchID    string      `json:"match_id"`
	Similarity json.Number `json:"similarity"`
	Method     string      `json:"method"`
	Cluster    string      `json:"cluster"`
}

// rejectedLine is a line of --rejected.
type rejectedLine struct {
	ID     string `json:"id"`
	Reason string `json:"reason"`
	Detail string `json:"detail"`
}

// resultFile is a file that is written, or standard output.
type resultFile struct {
	*bufio.Writer
	file io.Closer // nil for standard output
}

func newResultFile(path string, stdout io.Writer) (*resultFile, error) {
	if path == "-" {
		return &resultFile{Writer: bufio.NewWriterSize(stdout, 64<<10)}, nil
	}
	f, err := os.Create(path)
	if err != nil {
		return nil, fmt.Errorf("write results: %w", err)
	}
	return &resultFile{Writer: bufio.NewWriterSize(f, 64<<10), file: f}, nil
}

// raw writes a line, with a line break if it has none.
func (o *resultFile) raw(line []byte) error {
	if o == nil {
		return nil
	}
	_, err := o.Write(line)
	if err == nil && (len(line) == 0 || line[len(line)-1] != '\n') {
		err = o.WriteByte('\n')
	}
	return err
}

func (o *resultFile) json(line any) error {
	if o == nil {
		return nil
	}
	return json.NewEncoder(o).Encode(line)
}

// close closes the file; what was not flushed is lost.
func (o *resultFile) close() error {
	if o == nil {
		return nil
	}
	if o.file == nil {
		return nil
	}
	return o.file.Close()
}

// appendTSV appends a line of columns. What would end a column or a line is written as in Go: \t, \n, \r, and \\.
func appendTSV(dst []byte, columns ...string) []byte {
	for i, c := range columns {
		if i > 0 {
			dst = append(dst, '\t')
		}
		if strings.ContainsAny(c, "\\\t\n\r") {
			c = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`).Replace(c)
		}
		dst = append(dst, c...)
	}
	return append(dst, '\n')
}
