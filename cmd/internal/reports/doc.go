// Package reports writes the results of an audit and of a doctor, for people and as JSON.
package reports
