// Package member has the verbs that ask a running member over its HTTP API: lookup, recent and top. What comes from documents
// is made harmless to terminals. The description of the API is openapi.json of cmd/internal/api; its answers are those of
// cmd/internal/api/shape.
//
//	target.go                   which member is asked, by flags
//	client.go, address.go       requests, and errors that say what to do
//	questions.go, stream.go     what is asked, and copies as they are found
//	ask.go, lookup.go           lookups: texts go out several at a time, and results are written in their order
//	recent.go, copies.go        the last copies
//	top.go, watch.go            how the member stands, drawn anew
package member
