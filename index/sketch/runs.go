package sketch

// This file derives from a Levenshtein similarity s = 1 - edits / length how many runs of size characters two texts
// share. Each run counts as often as it occurs, as each character does for Levenshtein. Texts are assumed to be much
// longer than a run.
//
//	edits fall by chance   a run survives if none of its characters is edited: a share s^size of the runs    Jaccard s^size / (2 - s^size)
//	edits are spread out   each edit takes size runs of its own (Ukkonen 1992): 1 - size (1 - s)              Jaccard the same way
//
// The first is about the least that real edits leave, because people's edits are closer together than random ones;
// decision 37 has the figures. The second is the least possible.

// RunSimilarity returns the Jaccard similarity of the runs for edits at random places.
func RunSimilarity(levenshtein float64, size int) float64 { return ofKept(power(levenshtein, size)) }

// LeastRunSimilarity returns the least Jaccard similarity of the runs: 0 if the edits may touch all of them.
func LeastRunSimilarity(levenshtein float64, size int) float64 {
	return ofKept(max(0, 1-float64(float64(size)*(1-levenshtein))))
}

// ofKept returns the Jaccard similarity of two multisets of equal size that share this part of each.
func ofKept(share float64) float64 { return share / (2 - share) }
