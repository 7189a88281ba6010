// Package topic writes to and reads from topics for people: for the verbs produce, tail and demo, and for whoever
// asks the API for the text of a document.
package topic
