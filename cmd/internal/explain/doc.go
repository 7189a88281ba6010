// Package explain analyses two documents: which parts are compared, how similar they are by each measure, what the
// service would decide under the settings and why, and which setting would change that.
package explain
