// Command unecho reads documents from Kafka, decides for each whether a near-identical one was seen within a rolling
// window, and forwards it, untouched, to a topic of unique documents or a topic of duplicates.
//
// Each verb is in a room of cmd/internal, and root.go lists them. Exit codes: 0 done, 1 something went wrong, 2 the command line or the configuration
// is wrong, or names a file that is not there, and nothing was started, 130 stopped by Ctrl-C before the end. What has
// no end (run, tail, demo) is done when it is stopped: 0.
package main
