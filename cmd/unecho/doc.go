// Command unecho reads documents from Kafka, decides for each whether a near-identical one was seen within a rolling window,
// and forwards it, untouched, to a topic of unique documents or a topic of duplicates.
//
// There is one file for each verb. Exit codes: 0 done, 1 something went wrong, 2 the command line or the configuration is
// wrong and nothing was started.
package main
