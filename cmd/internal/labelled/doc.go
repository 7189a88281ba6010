// Package labelled compares the pairs that settings find in documents with known pairs or clusters.
//
//	documents ──Add──▶ Documents ──bands, verified as the service does──▶ pairs found ──┐
//	labels    ──Pairs, Clusters──▶ pairs known ─────────────────────────────────────────┴─Against─▶ Result: precision, recall, F1, ARI
package labelled
