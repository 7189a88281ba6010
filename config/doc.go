// Package config turns one YAML file, the environment and flags into the settings of every room, and reports all
// mistakes in them at once.
//
// A room describes its settings by the tags of its Params (see package setting); Config composes them into sections.
// Everything here follows from those tags, so that nothing is stated twice:
//
//	            ┌ YAML         duplicates:
//	            │                threshold: 0.9
//	Params ─────┼ environment  UNECHO_DUPLICATES_THRESHOLD=0.9
//	 (tags)     ├ flags        --set duplicates.threshold=0.9
//	            ├ documents    config init, config schema, the table in configuration.md
//	            └ Settings     the canonical text of what decides verdicts, in the journal
//
// A flag outranks the environment, which outranks the file, which outranks the default. Outside YAML a list is separated
// by commas, and a map is written a=b,c=d. A variable or a flag reaches the only element of a list of sections; where
// there are more, only the file does. A secret can also be read from a file: beside kafka.sasl.password there is
// kafka.sasl.password_file. Giving both in the same place is a mistake; in different places, the higher one wins.
//
// No secret leaves this package in an error or a printed line. The values of unknown keys are not shown either, because
// they may be secrets under a misspelt name.
package config
