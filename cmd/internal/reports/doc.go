// Package reports writes what verbs found: the results of an audit and of a doctor, for people and as JSON, and the
// documents that were rejected.
package reports
