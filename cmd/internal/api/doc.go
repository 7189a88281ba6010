// Package api answers questions of people and programs about a running member, over HTTP under /api/v1. It changes
// nothing, except that it takes documents and lets the group forget documents, both for callers with a token.
//
// What there is to ask is described by openapi.json, and what is not described is refused, be it a path, a method or a
// parameter.
//
// Who may ask: anybody who reaches a loopback address by its name, or who has the token. The description is for all.
//
// At / of the same address is the page for people who look after a member. It asks the API and has no data of its own.
// Its assets are embedded and nothing is built. All addresses are relative, so that it works behind a proxy that serves
// it below a path. Texts reach it as text nodes only, and its policy forbids inline scripts and styles.
package api
