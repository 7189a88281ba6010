// Package client asks the HTTP API of a running member. The description of the API is openapi.json of
// cmd/internal/api; the types here are those parts of it that the verbs show, and a test holds them against the
// answers of the API itself.
//
//	client.go  requests, and errors that say what to do
//	shapes.go  what is answered
//	stream.go  copies as they are found
package client
