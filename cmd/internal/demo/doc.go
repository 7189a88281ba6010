// Package demo sends documents and shows what becomes of them. The verb demo does it with a service and a broker in this
// process: verdicts are shown as they fall, and a summary holds them against the exact similarities.
//
//	Documents ──▶ source topic ──▶ the service ──▶ outputs ──▶ a live view, or plain lines
//	                                   └── journal, replayed ──▶ Summary: precision and recall
//
// Produce and tail do the same halves for a service that is there: produce sends the lines of a file, or generated articles, to
// a source topic, and tail shows the records of the outputs.
package demo
