// Package ops is for the people who run the service: it says over HTTP whether a process lives, whether it is ready,
// and how it stands. Rooms count, ops renders.
//
//	/live     200 as long as the process answers
//	/ready    200 when it would forward a document that came now, else 503 and a sentence why
//	/metrics  Prometheus: unecho_*, and the Go runtime's and the process's own
//	/api/v1   what package api answers
//	/         the page of package api for browsers, and lines like these for others
//
// For callers on the same machine, whatever address is listened on:
//
//	/log/level     PUT changes the level of the log
//	/debug/pprof/  profiles, with run --pprof
//
// It also has documents take part in the traces that their producers began, and begins none: a document without the
// header traceparent (W3C), or with one that is not sampled, has no spans. What the collector does not take in time is
// dropped: documents never wait for it.
//
//	producer's span ──┬── news receive           fetched, until it is polled
//	                  └── news.unique publish    produced, until the output has acknowledged it; with the verdict
//
// The headers of a document are forwarded as they came, traceparent among them, so that a reader's span is a sibling
// of ours. Spans go to a collector by OTLP over HTTP, as JSON.
//
// With a certificate it speaks TLS, and nothing else, for all of these. Without metrics, the log says at intervals
// how the service stands (LogStanding).
//
// Apart from the level of the log it only reads. testdata/metrics.txt lists every metric of
// unecho's own with type and meaning; dashboards, alerts and docs are compared with it.
package ops
