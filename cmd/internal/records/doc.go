// Package records sends documents to a source topic: the lines of a file, or articles of the demo's feed.
package records
