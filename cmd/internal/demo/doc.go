// Package demo shows the whole service at work: documents are sent to a broker in this process, verdicts are shown as
// they fall, and a summary holds them against the exact similarities.
//
//	Documents ──▶ source topic ──▶ the service ──▶ outputs ──▶ a live view, or plain lines
//	                                   └── journal, replayed ──▶ Summary: precision and recall
package demo
