package outputs

import (
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/sink"
)

// Wants says what the topics must be that are written for a source topic: first those that take its documents, then
// that of the verdicts. A start and each assignment have them made so.
func Wants(out *sink.Params, mode protocol.Mode, source broker.Topic) []broker.OutputsWant {
	if out.DryRun {
		return nil
	}
	source.Partitions = mode.Partitions(source.Name, source.Partitions)
	outputs := broker.OutputsWant{
		Source: source, Names: out.Outputs(source.Name), Create: out.Create.Enabled,
		ReplicationFactor: out.Create.ReplicationFactor, Config: out.Create.Config,
		MaxRecordBytes: int(out.MaxRecordBytes), KeepPast: mode.Finite(),
	}
	topic := out.VerdictsTopic(source.Name)
	if topic == "" {
		return []broker.OutputsWant{outputs}
	}
	verdicts := outputs
	verdicts.Names, verdicts.MaxRecordBytes, verdicts.Why = []string{topic}, sink.MaxVerdictBytes, sink.WhyVerdictBytes
	return []broker.OutputsWant{outputs, verdicts}
}
