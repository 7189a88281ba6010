// Package cmdline holds what verbs have in common at the command line: flags in groups, settings as flags, the
// configuration that a command line asks for, and help that fits a terminal.
package cmdline
