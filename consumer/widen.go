package consumer

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kadm"
)

// widen makes sure that the outputs of a source topic have as many partitions as it has now: partitions may have been added
// since the start, and a record goes to the partition of the same number.
func (s *session) widen(ctx context.Context, source string, partitions int) error {
	if s.dryRun {
		return nil
	}
	unique, duplicate, rejected := s.outputs.Topics(source)
	admin := kadm.NewClient(s.admin)
	topics, err := admin.ListTopics(ctx, unique, duplicate, rejected)
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
	if s.outputs.Create {
		made, err := admin.UpdatePartitions(ctx, partitions, narrow...)
		if err == nil {
			err = made.Error()
		}
		if err == nil {
			s.logger.Warn().Strs("topics", narrow).Int("partitions", partitions).Msg("partitions added to the outputs, as the source has more")
			s.kafkaClient().ForceMetadataRefresh()
			return nil
		}
		s.logger.Error().Err(err).Strs("topics", narrow).Msg("partitions cannot be added to the outputs")
	}
	return s.stopped(&StopError{
		What:   fmt.Sprintf("%s has %d partitions, and %v has fewer: a record goes to the partition of the same number", source, partitions, narrow),
		Remedy: fmt.Sprintf("kafka-topics.sh --alter --topic %s --partitions %d, and so for each of them", narrow[0], partitions),
	})
}

// widenAll does that for the topics of the partitions.
func (s *session) widenAll(ctx context.Context, of []topicPartition) error {
	for topic, list := range byTopic(of) {
		if err := s.widen(ctx, topic, int(list[0].Partitions)); err != nil {
			return err
		}
	}
	return nil
}
