package outputs

import (
	"github.com/unecho/unecho/consumer/broker"
	"github.com/unecho/unecho/consumer/protocol"
	"github.com/unecho/unecho/sink"
)

// Wants says what the topics must be that are written for a source topic: first those that take its documents, then
// those of verdicts and clusters. A start and each assignment have them made so.
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
	wants := []broker.OutputsWant{outputs}
	if topic := out.VerdictsTopic(source.Name); topic != "" {
		verdicts := outputs
		verdicts.Names, verdicts.MaxRecordBytes, verdicts.Why = []string{topic}, sink.MaxVerdictBytes, sink.WhyVerdictBytes
		wants = append(wants, verdicts)
	}
	if topic := out.ClustersTopic(source.Name); topic != "" {
		clusters := outputs
		clusters.Names, clusters.MaxRecordBytes, clusters.Why = []string{topic}, sink.MaxClusterBytes, sink.WhyClusterBytes
		clusters.Compacted = true
		wants = append(wants, clusters)
	}
	return wants
}
