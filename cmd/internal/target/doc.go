// Package target is the service that a verb talks to: named by its configuration, or by the directory of an embedded broker.
// It has the flags, and what they mean.
//
//	service.go, config.go      the service and its configuration
//	records.go, sources.go     records of its cluster, and the topics that it reads
//	broker.go, embedded.go     the broker in this process that takes the place of a Kafka: started, and found by others
package target
