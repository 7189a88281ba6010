// Package checks has the verbs that look at a service and change nothing: audit proves from the topics that the promises were
// kept, and doctor looks at everything that a service depends on.
package checks
