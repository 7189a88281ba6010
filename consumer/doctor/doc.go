// Package doctor looks at a service from outside, as it would connect itself, and says what is wrong, why that matters
// and what to do. It writes nothing to Kafka: no topic, no group, no transactional id is touched.
//
//	check          looks at
//	cluster        Kafka's version, features, brokers
//	topics         sources, journal and outputs: that they are there, and their settings
//	rights         what the service's user may do, as far as Kafka tells
//	documents      what the configuration makes of the newest ones of each source
//	outputs        whether another group has written the newest unique documents
//	transactions   ours, and such as hang on our topics
//	group          members, committed offsets against what the source holds
//	snapshots      the store, the age of the newest, whether the journal still continues it
//	old documents  the directory for them, and its disk if that is asked for
//	settings       those in force in the journal against the configuration
//	clocks         this machine, the brokers, the appenders, the database
//	certificate    that of http.listen
//
// Each check stands alone and has a bound in time: what one cannot see is a finding, and the others go on.
package doctor
