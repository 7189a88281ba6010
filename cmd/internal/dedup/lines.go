package dedup

import (
	"strconv"

	"github.com/unecho/unecho/index/compare"
)

// The JSON of these lines, and the columns of Parquet, are a promise to scripts.

// duplicateLine is a line of --duplicates.
type duplicateLine struct {
	ID         string       `json:"id"           parquet:"id"`
	MatchID    string       `json:"match_id"     parquet:"match_id"`
	In         string       `json:"in,omitempty" parquet:"in,optional,dict"` // where the match is: index or query; only where there is an index
	Similarity fourDecimals `json:"similarity"   parquet:"similarity"`
	Method     string       `json:"method"       parquet:"method,dict"`
	Cluster    string       `json:"cluster"      parquet:"cluster"`
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
	A          string       `parquet:"a"`
	B          string       `parquet:"b"`
	Similarity fourDecimals `parquet:"similarity"`
	AFile      string       `parquet:"a_file,optional,dict"`
	ARow       int          `parquet:"a_row,optional"`
	BFile      string       `parquet:"b_file,dict"`
	BRow       int          `parquet:"b_row,optional"`
}

// clusterLine is a line of --clusters.
type clusterLine struct {
	ID      string `parquet:"id"`
	Cluster string `parquet:"cluster"`
	File    string `parquet:"file,dict"`
	Row     int    `parquet:"row,optional"`

	ClusterFile string `parquet:"cluster_file,optional,dict"`
	ClusterRow  int    `parquet:"cluster_row,optional"`
}

// cutLine is a line of --cut: a document that was not compared with all that may be like it.
type cutLine struct {
	ID   string `json:"id"            parquet:"id"`
	File string `json:"file"          parquet:"file,dict"`
	Row  int    `json:"row,omitempty" parquet:"row,optional"`
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
