// Package topic reads closed ranges of topics: for people, as the verbs produce, tail and demo and the API do, and for whoever
// reads a journal or proves something from the outputs. It also writes to topics for the verbs.
//
// It joins no group and has no transactions. It reads whole topics, parts of them, or one record, and of transactions
// only those that were committed, unless the range is one of a journal. What one record takes in memory is bounded.
package topic
