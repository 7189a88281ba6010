// Package shape has the answers of the API as Go types. The server fills them and the client reads them, so both know one
// definition. What they mean is described in openapi.json. It imports nothing of the
// program, so that a client needs no more than it.
package shape
