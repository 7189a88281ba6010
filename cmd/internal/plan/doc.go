// Package plan estimates how many documents a window holds in its memory, or how much memory a number of documents
// takes, and how likely pairs of a similarity are found.
package plan
