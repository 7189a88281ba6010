// Package backfills tells how a backfill goes: its progress, the summary at its end, the list of all there are.
package backfills
