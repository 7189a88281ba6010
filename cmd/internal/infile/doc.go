// Package infile has what verbs do alike about the files that they read: the flags that say which files and what is a document
// in them, the values of these flags, the reading, and the rules when each flag decides something.
package infile
