// Package docs holds what people read who run unecho. It has no code but the tests that keep it, the README, the example
// configuration and the image true.
package docs
