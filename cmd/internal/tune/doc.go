// Package tune tries settings on a sample of the user's own documents and compares each with the exact truth.
//
//	documents ──shingle, hash──▶ sets ──eval.Join──▶ truth
//	          └──sign──▶ entries ──index.JudgeAll──▶ verdicts, held against the truth ──▶ a row
//	rows ──▶ Report: the setting recommended, a table, JSON, YAML, a page with plots
//
// The sets and the truth of one shingle and hash serve all its trials; trials run on all cores.
//
// Eval compares the pairs that one setting finds with known pairs or clusters; tune reads such labels as well.
//
//	documents ──Add──▶ Documents ──bands, verified as the service does──▶ pairs found ──┐
//	labels    ──Pairs, Clusters──▶ pairs known ─────────────────────────────────────────┴─Against─▶ Result: precision, recall, F1, ARI
package tune
