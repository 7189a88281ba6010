// Package target is the service that a verb talks to, named by its configuration: the flags and what they mean, the topics
// that it reads, records of its cluster, and where the window has old documents.
package target
