package rivals;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.Future;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.KafkaClientSupplier;

/** CountedClients are Kafka's own clients, which tell of the first documents and of each transaction's documents. */
final class CountedClients implements KafkaClientSupplier {
  private final String unique;
  private final String duplicate;
  private boolean began;
  private long committedUnique;
  private long committedDuplicate;

  CountedClients(String unique, String duplicate) {
    this.unique = unique;
    this.duplicate = duplicate;
  }

  @Override
  public Admin getAdmin(Map<String, Object> config) {
    return Admin.create(config);
  }

  @Override
  public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
    return new CountedProducer(config);
  }

  @Override
  public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
    return new WatchedConsumer(config);
  }

  @Override
  public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
    return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
  }

  @Override
  public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
    return getRestoreConsumer(config);
  }

  private synchronized void begin() {
    if (!began) {
      began = true;
      Measured.tell("began");
    }
  }

  private synchronized void commit(long moreUnique, long moreDuplicate) {
    committedUnique += moreUnique;
    committedDuplicate += moreDuplicate;
    Measured.tell("committed " + committedUnique + " " + committedDuplicate);
  }

  private final class WatchedConsumer extends KafkaConsumer<byte[], byte[]> {
    private boolean arrived;

    WatchedConsumer(Map<String, Object> config) {
      super(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
      ConsumerRecords<byte[], byte[]> records = super.poll(timeout);
      if (!arrived && !records.isEmpty()) {
        arrived = true;
        begin();
      }
      return records;
    }
  }

  /** CountedProducer belongs to one thread of Kafka Streams. */
  private final class CountedProducer extends KafkaProducer<byte[], byte[]> {
    private long sentUnique;
    private long sentDuplicate;

    CountedProducer(Map<String, Object> config) {
      super(config, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> document, Callback callback) {
      if (document.topic().equals(unique)) {
        sentUnique++;
      } else if (document.topic().equals(duplicate)) {
        sentDuplicate++;
      }
      return super.send(document, callback);
    }

    @Override
    public void commitTransaction() {
      super.commitTransaction();
      commit(sentUnique, sentDuplicate);
      sentUnique = 0;
      sentDuplicate = 0;
    }

    @Override
    public void abortTransaction() {
      super.abortTransaction();
      sentUnique = 0;
      sentDuplicate = 0;
    }
  }
}
