// Package target is the service that a verb talks to: named by its configuration. It has the flags, and
// what they mean.
//
//	service.go, config.go      the service and its configuration
//	directory.go               where the window that it reads has old documents
//	records.go, sources.go     records of its cluster, and the topics that it reads
package target
