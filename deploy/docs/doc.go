// Package docs holds what people read who run unecho, and the pictures of the page. It has no code but the tests
// that keep these pages, the README, the examples and the image true.
package docs
