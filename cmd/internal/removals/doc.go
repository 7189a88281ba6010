// Package removals reads the names of documents that are to be forgotten, and tells what was found and what remains.
package removals
