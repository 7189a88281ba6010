// Package records has the verbs about the records of a service's topics: produce sends the lines of a file, or articles of the
// demo's feed, to a source topic, and tail shows those of the outputs.
package records
