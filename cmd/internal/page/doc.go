// Package page is the page for people who look after a running member: how it stands, what it finds, what it remembers,
// and a box to ask it. It is served at / of http.listen and asks the API; it has no data of its own.
//
//	assets/index.html  the frame of the page
//	assets/*.css       how it looks: tokens, frame, sections
//	assets/*.js        modules; main.js is where they meet
//
// Everything is embedded and nothing is built: a browser loads what stands here. All addresses are relative, so that
// the page works behind a proxy that serves it below a path. Texts reach the page as text nodes only; the policy that
// comes with each answer forbids inline scripts and styles, and all strings where a browser would read markup.
package page
