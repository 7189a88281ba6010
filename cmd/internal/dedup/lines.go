package dedup

import (
	"strconv"

	"github.com/unecho/unecho/index"
)

// The JSON of these lines, and the columns of Parquet, are a promise to scripts.

// duplicateLine is a line of --duplicates.
type duplicateLine struct {
	ID         string     `json:"id"           parquet:"id"`
	MatchID    string     `json:"match_id"     parquet:"match_id"`
	In         string     `json:"in,omitempty" parquet:"in,optional,dict"` // where the match is: index or query; only where there is an index
	Similarity fourPlaces `json:"similarity"   parquet:"similarity"`
	Method     string     `json:"method"       parquet:"method,dict"`
	Cluster    string     `json:"cluster"      parquet:"cluster"`
}

// pairLine is a line of --pairs: b comes after a.
type pairLine struct {
	A          string     `parquet:"a"`
	B          string     `parquet:"b"`
	Similarity fourPlaces `parquet:"similarity"`
}

// clusterLine is a line of --clusters.
type clusterLine struct {
	ID      string `parquet:"id"`
	Cluster string `parquet:"cluster"`
}

// fourPlaces is a similarity with four places.
type fourPlaces float64

func fourPlacesOf(s index.Similarity) fourPlaces { return fourPlaces(similarityOf(s)) }

// MarshalJSON implements json.Marshaler.
func (s fourPlaces) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, float64(s), 'f', 4, 64), nil
}
