// Package memory asks the operating system for large pages for memory that is read at random. The only effect a program
// can notice is speed, so index stays pure.
package memory
