package dedup

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/unecho/unecho/cmd/internal/corpus"
	"github.com/unecho/unecho/cmd/internal/corpus/columnar"
	"github.com/unecho/unecho/cmd/internal/exit"
	"github.com/unecho/unecho/cmd/internal/outfile"
)

// annotation is what --annotated adds to a row. Its fields of JSON, and its columns of Parquet, are a promise to scripts. All
// begin with annotationPrefix.
type annotation struct {
	Verdict string      `json:"unecho_verdict"           parquet:"unecho_verdict,dict"`
	Reason  string      `json:"unecho_reason,omitempty"  parquet:"unecho_reason,optional,dict"` // of one that is rejected
	File    string      `json:"unecho_file"              parquet:"unecho_file,dict"`
	Row     int         `json:"unecho_row"               parquet:"unecho_row"`
	Cluster columnar.ID `json:"unecho_cluster,omitempty" parquet:"unecho_cluster,optional"` // its unique document; none of one that is rejected

	ClusterFile string `json:"unecho_cluster_file,omitempty" parquet:"unecho_cluster_file,optional,dict"`
	ClusterRow  int    `json:"unecho_cluster_row,omitempty"  parquet:"unecho_cluster_row,optional"`
	// the row as a text, if it is no JSON object; never in Parquet
	Line string `json:"unecho_line,omitempty" parquet:"-"`
}

const annotationPrefix = "unecho_"

// annotatable returns an error if a column of the rows has a name that --annotated may add.
func annotatable(schema *columnar.Schema) error {
	for _, name := range schema.Names() {
		if strings.HasPrefix(strings.ToLower(name), annotationPrefix) { // DuckDB takes Unecho_File for the same
			return exit.Usage(fmt.Errorf("--annotated: the files have a column %s, and names that begin with %s are those of its own "+
				"columns: name the files as they were before, or the output .jsonl, where the old ones are replaced", name, annotationPrefix))
		}
	}
	return nil
}

// annotatedFile writes each row that was read, with its verdict. It is nil if it was not asked for.
type annotatedFile struct {
	out   *outfile.File
	table *annotatedTable // where the output is Parquet
	later *spool          // the rows, until verdicts are known; nil if they do not wait. In front of each is its rejection
}

type annotatedTable struct {
	tableFile
	annotator *columnar.Annotator[annotation]
}

func newAnnotatedFile(out *outfile.File, schema *columnar.Schema, integers, waits bool) (a *annotatedFile, err error) {
	a = &annotatedFile{out: out}
	if schema != nil {
		a.table = &annotatedTable{}
		if a.table.annotator, err = columnar.NewAnnotator[annotation](out, schema, integers); err != nil {
			return a, err
		}
		a.table.copier = a.table.annotator.Copier
		out.Rows(a.table.copier.Close)
	}
	if waits {
		a.later, err = newSpool()
	}
	return a, err
}

// annotate writes a document that was judged, or keeps it until the clusters are known. What is wrong with a file is no row
// of it.
func (d *Outputs) annotate(o *Outcome) error {
	a := d.annotated
	if a == nil || o.Row == 0 || o.Rejected != nil && corpus.OfFile(o.Rejected, o.Row) {
		return nil
	}
	reason := ""
	if o.Rejected != nil {
		reason = string(o.Rejected.Reason)
	}
	raw := o.Raw
	if a.table != nil {
		raw = nil
	}
	if a.later != nil {
		return a.later.add(o.Number, []byte(reason+"\n"), raw...)
	}
	cluster, name := o.Number, o.Name
	if best := o.Best(); best != nil {
		cluster, name = best.Number, best.Name
	}
	return d.writeAnnotated(o.Number, reason, cluster, name, raw)
}

// finishAnnotated writes the rows that have waited.
func (d *Outputs) finishAnnotated(g *Groups) error {
	if d.annotated == nil || d.annotated.later == nil {
		return nil
	}
	return d.annotated.later.each(func(number int64, kept []byte) error {
		reason, raw, _ := bytes.Cut(kept, []byte{'\n'})
		cluster := g.Cluster(number)
		return d.writeAnnotated(number, string(reason), cluster, g.Name(cluster), raw)
	})
}

// writeAnnotated writes a row with its verdict: it is rejected if there is a reason.
func (d *Outputs) writeAnnotated(number int64, reason string, cluster int64, name, raw []byte) error {
	file, row := d.places.Of(number, "")
	line := annotation{Verdict: "unique", File: outfile.Name(file), Row: row, Reason: reason}
	switch {
	case reason != "":
		line.Verdict = "rejected"
	case cluster != number:
		line.Verdict = "duplicate"
	}
	if reason == "" {
		line.Cluster = outfile.ID(name)
		line.ClusterFile, line.ClusterRow = d.rowOf(cluster, string(name))
	}
	if t := d.annotated.table; t != nil {
		return t.row(file, row, func(row int64) error { return t.annotator.Row(row, &line) })
	}
	members, ok := membersOfObject(raw, reason != "")
	if !ok {
		line.Line = string(bytes.TrimRight(raw, "\r\n"))
	}
	added, err := json.Marshal(&line)
	if err != nil {
		return err
	}
	if len(members) == 0 {
		return d.annotated.out.Line(added)
	}
	d.line = fmt.Appendf(d.line[:0], "{%s,%s", members, added[1:])
	return d.annotated.out.Line(d.line)
}

// membersOfObject returns what is between the braces of a JSON object, as it is written, without the fields of an earlier
// annotation. ok is false for anything else, which only a row that is rejected can be.
func membersOfObject(raw []byte, rejected bool) (members []byte, ok bool) {
	raw = bytes.TrimSpace(corpus.Unmarked(raw))
	if len(raw) == 0 || raw[0] != '{' || rejected && !json.Valid(raw) {
		return nil, false
	}
	if !bytes.Contains(raw, []byte(`"`+annotationPrefix)) {
		return bytes.TrimSpace(raw[1 : len(raw)-1]), true
	}
	from, depth, quoted := 1, 0, false
	for i := 1; i < len(raw); i++ {
		switch c := raw[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case depth == 0 && (c == ',' || c == '}'):
			members = appendMember(members, bytes.TrimSpace(raw[from:i]))
			from = i + 1
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
	}
	return members, true
}

// appendMember appends a member of an object, unless it is of an annotation. Its value may be NaN, which encoding/json does not read.
func appendMember(members, member []byte) []byte {
	key, _ := json.NewDecoder(bytes.NewReader(member)).Token() // an empty object has none
	if name, ok := key.(string); !ok || strings.HasPrefix(name, annotationPrefix) {
		return members
	}
	if len(members) > 0 {
		members = append(members, ',')
	}
	return append(members, member...)
}

// close closes what is read anew, and what waits.
func (a *annotatedFile) close() (err error) {
	if a == nil {
		return nil
	}
	if a.table != nil {
		err = a.table.close()
	}
	if a.later != nil {
		err = errors.Join(err, a.later.close())
	}
	return err
}
