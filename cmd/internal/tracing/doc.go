// Package tracing has documents take part in the traces that their producers began. It begins none: a document
// without the header traceparent (W3C), or with one that is not sampled, has no spans.
//
//	producer's span ──┬── news receive           fetched, until it is polled
//	                  └── news.unique publish    produced, until the output has acknowledged it; with the verdict
//
// The headers of a document are forwarded as they came, traceparent among them, so that a reader's span is a sibling
// of ours. Spans go to a collector by OTLP over HTTP, as JSON. What the collector does not take in time is dropped:
// documents never wait for it.
package tracing
