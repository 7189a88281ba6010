// Package explain analyses two documents: which parts are compared, how similar they are by each measure, what the
// service would decide under the settings and why, and which setting would change that.
//
// Plan says what settings cost: how many documents a window holds in its memory, or how much memory so many take, and
// how likely pairs of a similarity are found.
package explain
