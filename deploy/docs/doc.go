// Package docs holds what people read who run unecho, and the picture of the demo. It has no code but the tests that keep these
// pages, the README, the examples and the image true.
package docs
