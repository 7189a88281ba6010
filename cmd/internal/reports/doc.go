// Package reports is what an audit and a doctor came to, for people and as JSON.
package reports
