// Package client asks the HTTP API of a running member. The description of the API is openapi.json of
// cmd/internal/api; the answers are those of cmd/internal/api/shape.
//
//	client.go     requests, and errors that say what to do
//	questions.go  what is asked
//	stream.go     copies as they are found
package client
