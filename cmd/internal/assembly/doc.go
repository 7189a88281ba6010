// Package assembly is where the rooms meet: it builds a service from its configuration, with the store, the metrics,
// the API, the page and the traces that it has, runs it, and closes what it built.
//
//	Params ──▶ Build ──▶ Parts ──▶ Run: the service, what http.listen serves, the log of how it stands
package assembly
