// Package plan says how many documents a window holds in its memory, or how much memory so many take, and how likely pairs of a
// similarity are found.
package plan
