// Package pagetest tries the page of cmd/internal/page, and the page that dedup writes, in a real browser: Chromium without a window, with the program
// itself behind it, or with answers that are made up here, so that a test has any state it wants. It is a module of
// its own, so that the program does not depend on what drives a browser.
//
//	browser.go   a browser, and pages in it
//	program.go   the program: built once, started, killed
//	shots/       makes the pictures of the documents
//
// The tests have the program's page with made-up answers behind it: Stage, in answers_test.go.
package pagetest
