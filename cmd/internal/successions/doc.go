// Package successions has what the verb about taking over from another group tells of it.
package successions
