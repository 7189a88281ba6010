// Package cmdline holds what verbs have in common at the command line: flags in groups, settings as flags, the
// configuration that a command line asks for, and help that fits a terminal.
//
// The flags about files are here too (file*.go): which files are read, what is a document in them, and the reading by
// them. For each flag a Rule says when it decides something; one that decides nothing is refused.
//
// It does not write files, which is for package outfile, and knows no verb.
package cmdline
