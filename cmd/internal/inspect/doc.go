// Package inspect has the verbs that look at a service and change nothing. Top, lookup and recent ask a running member over
// its HTTP API; audit proves from the topics that the promises were kept, and doctor looks at all that a service depends on.
// What comes from documents is made harmless to terminals. The API's description is openapi.json of cmd/internal/api, and its
// answers are those of cmd/internal/api/shape.
//
//	target.go                    which member is asked, by flags
//	client.go, stream.go         requests, errors that say what to do, and copies as they are found
//	lookupcommand.go, lookup.go  lookups: texts go out several at a time, and results are written in their order
//	recent.go                    the last copies
//	top.go, watch.go             how the member stands, drawn anew
//	audit.go, auditreport.go     the audit and its report
//	doctor.go                    the doctor
package inspect
