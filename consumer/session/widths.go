package session

import (
	"context"
	"fmt"

	"github.com/unecho/unecho/consumer/cluster"
	"github.com/unecho/unecho/consumer/stop"
)

// ensurePartitions makes sure that the outputs of a source topic have as many partitions as it has now. Partitions
// may have been added since the start, and a record goes to the partition of the same number.
func (s *Session) ensurePartitions(ctx context.Context, source string, partitions int) error {
	if s.Sink.DryRun {
		return nil
	}
	admin := s.Cluster.Admin()
	topics, err := admin.ListTopics(ctx, s.Sink.All(source)...)
	if err != nil {
		return fmt.Errorf("describe output topics: %w", err)
	}
	var narrow []string
	for name, detail := range topics {
		if detail.Err == nil && len(detail.Partitions) < partitions {
			narrow = append(narrow, name)
		}
	}
	if len(narrow) == 0 {
		return nil
	}
	if s.Sink.Create {
		made, err := admin.UpdatePartitions(ctx, partitions, narrow...)
		if err == nil {
			err = made.Error()
		}
		if err == nil {
			s.Logger.Warn().Strs("topics", narrow).Int("partitions", partitions).
				Msg("partitions added to the outputs, as the source has more")
			s.kafkaClient().ForceMetadataRefresh()
			return nil
		}
		s.Logger.Error().Err(err).Strs("topics", narrow).Msg("partitions cannot be added to the outputs")
	}
	return s.stopped(&stop.Error{
		What: fmt.Sprintf("%s has %d partitions, and %v has fewer: a record goes to the partition of the same number",
			source, partitions, narrow),
		Remedy: fmt.Sprintf("kafka-topics.sh --alter --topic %s --partitions %d, and so for each of them", narrow[0],
			partitions),
	})
}

// ensureAllPartitions does that for the topics of the partitions.
func (s *Session) ensureAllPartitions(ctx context.Context, of []topicPartition) error {
	for topic, list := range cluster.ByTopic(of) {
		partitions := int(list[0].Partitions)
		if s.Plan != nil {
			partitions = s.Plan.Partitions(topic)
		}
		if err := s.ensurePartitions(ctx, topic, partitions); err != nil {
			return err
		}
	}
	return nil
}
