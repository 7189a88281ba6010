// Package shape has the answers of the API as Go types. The server fills them and the client reads them. What they mean
// is described in openapi.json.
package shape
