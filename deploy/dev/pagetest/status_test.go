package pagetest

import (
	"math"
	"time"
)

// full is the status of a member that has all there is to show.
func full() JSON {
	partitions, sessions := []JSON{}, []JSON{}
	for i, name := range []string{"unecho-0", "unecho-1", "unecho-2"} {
		mine := []JSON{}
		for p := i * 4; p < i*4+4; p++ {
			mine = append(mine, JSON{"topic": "news", "partition": p})
			partitions = append(partitions, JSON{
				"topic": "news", "partition": p, "lag_documents": p * 17,
				"lag_s": float64(p) / 7,
			})
		}
		sessions = append(sessions, JSON{
			"member": name, "client_id": "unecho", "host": "/10.0.4.1" + string(rune('1'+i)),
			"partitions": mine,
		})
	}
	rate := point(60, 1234, 0.031)
	rate["file_reads_per_s"], rate["late_reads_per_s"] = 3456.0, 44.9
	return JSON{
		"version": "v1.4.0", "member": "unecho-0", "time": ago(0), "group": "news-filter", "index": "unecho", "ready": true,
		"documents": JSON{"unique": 812_345, "reemitted": 0, "duplicate": 91_204, "rejected": 17},
		"rejected": JSON{"empty": JSON{
			"count": 17, "remedy": "name the fields that hold the text in sources.text, or take empty out of sources.reject",
			"last": []JSON{{"topic": "news", "partition": 2, "offset": 88_120, "time": ago(time.Minute)}, {"topic": "news", "partition": 11, "offset": 4711, "time": ago(time.Hour)}},
		}},
		"unchecked": JSON{},
		"lag":       JSON{"documents": 1122, "seconds": 1.6, "leaderless": 0},
		"window": JSON{
			"documents": 512_000, "count_bound": 0, "bytes": 1 << 30, "bytes_bound": 1 << 30,
			"age_s": 11_520.0, "age_bound_s": 86_400.0, "bites": "memory", "memory_bytes": 300 << 20,
			"threshold": 0.8,
			"files": JSON{
				"documents": 450_000, "block_documents": 380_000, "bytes": 1_288_490_189, "reads": 1_934_210, "late_reads": 25_000,
				"wait_s": 71.5,
			},
		},
		"journal": JSON{
			"next": 88_102, "end": 88_104, "start": 71_000, "kept_records": 17_104,
			"kept_bytes": 73_400_320,
		},
		"snapshot": JSON{"next": 87_900, "taken": ago(4 * time.Minute)},
		"snapshots": JSON{
			"by": "unecho-1", "next": ago(-6 * time.Minute), "every_s": 600.0, "failed": nil,
			"errors": 0,
		},
		"assigned_partitions": 4, "partitions": partitions,
		"members": JSON{"state": "Stable", "read": ago(0), "sessions": sessions},
		"rate":    rate, "warnings": []JSON{},
		"waiting": []JSON{},
		"settings": []JSON{
			{"key": "sources[0].scope", "value": "field:tenant"},
			{"key": "http.listen", "value": "0.0.0.0:9464"},
			{"key": "http.show_text", "value": "true"},
		},
		"similarity": JSON{
			"bounds": []float64{.1, .2, .3, .4, .5, .55, .6, .65, .7, .75, .8, .85, .9, .95, .98, .9999, 1},
			"counts": []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 12, 4210, 6120, 9840, 12_330, 8120, 50_572, 0},
		},
	}
}

// point is what a member committed in so many seconds.
func point(seconds, documents, share float64) JSON {
	return JSON{
		"time": ago(0), "over_s": seconds, "documents_per_s": documents, "unique_per_s": documents * (1 - share),
		"duplicate_per_s": documents * share, "rejected_per_s": 0, "duplicate_share": share,
		"median_s": 0.08, "slowest_s": 0.9, "lag_documents": 1122, "lag_s": 1.6,
	}
}

// past is the history of a member that has so many points: the load goes up and down, and once nothing comes.
func past(points int) (all []JSON) {
	for n := points - 1; n >= 0; n-- {
		wave := math.Sin(float64(n) / 12)
		p := point(5, math.Round(1234+300*wave), 0.05+0.03*wave)
		if n > 40 && n < 60 {
			p = point(5, 0, 0)
			p["duplicate_share"], p["median_s"], p["slowest_s"] = nil, nil, nil
		}
		p["time"], p["lag_documents"] = ago(time.Duration(5*n)*time.Second), max(0, 900-40*(n-60)*(n-60))
		all = append(all, p)
	}
	return all
}

// empty is that of a member that has just started.
func empty() JSON {
	s := full()
	s["ready"], s["why"] = false, "reaching Kafka and restoring the newest snapshot"
	s["documents"] = JSON{"unique": 0, "reemitted": 0, "duplicate": 0, "rejected": 0}
	s["lag"] = JSON{"documents": nil, "seconds": nil, "leaderless": 0}
	s["window"] = JSON{
		"documents": 0, "count_bound": 0, "bytes": 0, "bytes_bound": 1 << 30, "age_s": 0.0,
		"age_bound_s": 86_400.0, "memory_bytes": 0, "threshold": 0.8,
	}
	s["journal"] = JSON{"next": -1, "end": nil, "start": nil, "kept_records": nil, "kept_bytes": nil}
	s["snapshot"], s["snapshots"] = nil, JSON{"every_s": 600.0, "failed": nil, "errors": 0}
	s["partitions"], s["members"], s["rate"], s["assigned_partitions"] = []JSON{}, nil, nil, 0
	s["similarity"] = JSON{"bounds": []float64{.5, .6, .7, .8, .9, 1}, "counts": []int{0, 0, 0, 0, 0, 0, 0}}
	s["rejected"] = JSON{}
	return s
}

// ill is that of a member with warnings.
func ill() JSON {
	s := full()
	s["warnings"] = []JSON{
		{"code": "UnechoWindowShort", "text": "the window remembers 3h12m of 24h: duplicates.remember.memory is full", "remedy": "raise duplicates.remember.memory, or lower duplicates.remember.age to what is needed", "runbook": "unechowindowshort", "since": ago(30 * time.Minute), "pending": false},
		{"code": "UnechoSnapshotsFail", "text": "snapshots fail: connection refused", "remedy": "look at the store", "runbook": "unechosnapshotsfail", "since": ago(2 * time.Minute), "pending": true},
	}
	s["snapshots"].(JSON)["failed"] = JSON{
		"error": "write snapshot 4100: connection refused",
		"time":  ago(2 * time.Minute),
	}
	return s
}
