// Package labelled holds what settings find in documents against pairs or clusters that somebody knows.
//
//	documents ──Add──▶ Documents ──bands, verified as the service does──▶ pairs found ──┐
//	labels    ──Pairs, Clusters──▶ pairs known ─────────────────────────────────────────┴─Against─▶ Result: precision, recall, F1, ARI
package labelled
