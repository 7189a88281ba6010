// Package topic writes to and reads from topics for the verbs that a person uses at a terminal: produce, tail and demo.
// The service has no use for it.
package topic
