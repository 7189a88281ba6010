// Package signing makes entries of source records on all cores, or finds the reasons why they have none. Sessions and
// the feeder of a backfill use it, so that they find the same.
package signing
