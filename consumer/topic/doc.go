// Package topic writes to and reads from topics for people: for the verbs produce, tail and demo, and for whoever
// asks the API for the text of a document.
//
// It joins no group and has no transactions. It reads whole topics, parts of them, or one record, and of transactions
// only those that were committed. What one record takes in memory is bounded. The service itself reads and writes by
// other rooms.
package topic
