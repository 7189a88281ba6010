package dedup

import (
	"fmt"
	"io"
	"strconv"

	"github.com/unecho/unecho/cmd/internal/corpus/columnar"
	"github.com/unecho/unecho/cmd/internal/terminal"
	"github.com/unecho/unecho/index"
	"github.com/unecho/unecho/index/compare"
	"github.com/unecho/unecho/index/sketch"
)

// The JSON of these lines, and the columns of Parquet, are a promise to scripts.

type duplicateLine struct {
	ID         columnar.ID  `json:"id"           parquet:"id"`
	MatchID    columnar.ID  `json:"match_id"     parquet:"match_id"`
	In         string       `json:"in,omitempty" parquet:"in,optional,dict"` // where the match is: index or query; only where there is an index
	Similarity fourDecimals `json:"similarity"   parquet:"similarity"`
	Method     string       `json:"method"       parquet:"method,dict"`
	Cluster    columnar.ID  `json:"cluster"      parquet:"cluster"`
	// where the three are: ids may begin anew in each file
	File        string `json:"file"                   parquet:"file,dict"`
	Row         int    `json:"row,omitempty"          parquet:"row,optional"` // none for a file that is a document
	MatchFile   string `json:"match_file,omitempty"   parquet:"match_file,optional,dict"`
	MatchRow    int    `json:"match_row,omitempty"    parquet:"match_row,optional"`
	ClusterFile string `json:"cluster_file,omitempty" parquet:"cluster_file,optional,dict"`
	ClusterRow  int    `json:"cluster_row,omitempty"  parquet:"cluster_row,optional"`
}

// pairLine is a line of --pairs: b comes after a.
type pairLine struct {
	A          columnar.ID  `parquet:"a"`
	B          columnar.ID  `parquet:"b"`
	Similarity fourDecimals `parquet:"similarity"`
	AFile      string       `parquet:"a_file,optional,dict"`
	ARow       int          `parquet:"a_row,optional"`
	BFile      string       `parquet:"b_file,dict"`
	BRow       int          `parquet:"b_row,optional"`
}

type clusterLine struct {
	ID      columnar.ID `parquet:"id"`
	Cluster columnar.ID `parquet:"cluster"`
	File    string      `parquet:"file,dict"`
	Row     int         `parquet:"row,optional"`

	ClusterFile string `parquet:"cluster_file,optional,dict"`
	ClusterRow  int    `parquet:"cluster_row,optional"`
}

// cutLine is a line of --cut: a document that was not compared with all that may be like it.
type cutLine struct {
	ID   columnar.ID `json:"id"            parquet:"id"`
	File string      `json:"file"          parquet:"file,dict"`
	Row  int         `json:"row,omitempty" parquet:"row,optional"`
}

// rowText is a row as a column of a line.
func rowText(row int) string {
	if row == 0 {
		return ""
	}
	return strconv.Itoa(row)
}

// fourDecimals is a similarity with four places.
type fourDecimals float64

func fourDecimalsOf(s compare.Similarity) fourDecimals { return fourDecimals(similarityOf(s)) }

// MarshalJSON implements json.Marshaler.
func (s fourDecimals) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(s), 'f', 4, 64), nil
}

// shownPairs shows each verified pair with both sketches. It keeps the sketches of all documents.
type shownPairs struct {
	out      io.Writer
	scheme   sketch.Scheme
	params   sketch.Params
	sketches [][]byte // by number
}

func newShownPairs(out io.Writer, p index.DuplicatesParams) (*shownPairs, error) {
	scheme, params, err := p.Scheme()
	return &shownPairs{out: out, scheme: scheme, params: params}, err
}

// add takes the next document; each is added once, rejected ones too, in the order of their numbers.
func (s *shownPairs) add(o *Outcome) {
	if s != nil {
		s.sketches = append(s.sketches, append([]byte(nil), o.Sketch...))
	}
}

func (s *shownPairs) show(number int64, name []byte, m *Match) error {
	if s == nil {
		return nil
	}
	_, err := fmt.Fprintf(s.out, "%s\t%s\t%s\t%v\n  %s\n  %s\n", terminal.Printable(string(m.Name), terminal.LongLine),
		terminal.Printable(string(name), terminal.LongLine),
		terminal.FourDecimals(m.Similarity.TenThousandths()), m.Method, s.bits(m.Number), s.bits(number))
	return err
}

func (s *shownPairs) bits(number int64) string { return s.scheme.Bits(s.params, s.sketches[number]) }
