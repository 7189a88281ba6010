// Package api answers questions of people and programs about a running member, over HTTP under /api/v1. It changes
// nothing, except that it lets the group forget documents for callers with a token.
//
//	GET  /api/v1/status        how the member stands
//	GET  /api/v1/config        the settings in force on this member, secrets masked
//	GET  /api/v1/recent        the last copies that were found
//	GET  /api/v1/events        the same as they are found, as server-sent events
//	POST /api/v1/lookup        is this text, or each of these, a near-duplicate of something remembered?
//	POST /api/v1/forget        lets the group forget documents
//	GET  /api/v1/openapi.json  the description of the above
//
// Who may ask: anybody who reaches a loopback address by its name, or who has the token.
//
// At / of the same address is the page for people who look after a member. It asks the API and has no data of its own.
// Its assets are embedded and nothing is built. All addresses are relative, so that it works behind a proxy that serves
// it below a path. Texts reach it as text nodes only, and its policy forbids inline scripts and styles.
package api
