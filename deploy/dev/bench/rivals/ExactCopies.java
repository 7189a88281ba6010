package rivals;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Properties;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.kstream.Branched;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.kstream.Repartitioned;
import org.apache.kafka.streams.processor.PunctuationType;
import org.apache.kafka.streams.processor.api.Processor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueBytesStoreSupplier;
import org.apache.kafka.streams.state.KeyValueIterator;
import org.apache.kafka.streams.state.KeyValueStore;
import org.apache.kafka.streams.state.Stores;

/**
 * ExactCopies forwards the first document of each content to one topic and its exact copies to another.
 *
 * <p>Copies lie in different partitions of the source. So all documents first go through a repartition topic, with 16
 * bytes of the SHA-256 of their content as the key; equal documents meet in one task. The task looks the hash up in a
 * store. The store has a changelog topic, as Kafka Streams gives it by default, so that another instance can take over.
 * Hashes are forgotten after a day of stream time. Key, value, headers and timestamp stay as they are.
 *
 * <p>What it does not do: a document in which one character differs is another document. Documents of one source
 * partition may leave in another order, because they go through different partitions of the repartition topic. Which of
 * two equal documents is the first is decided by their order in the repartition topic.
 *
 * <p>A store of keys and values is used rather than a window store, because a window store searches each of its
 * segments for a hash. In return the whole store is read each hour, to forget. No run of the benchmark lasts so long.
 */
final class ExactCopies {
  private static final String STORE = "seen";
  private static final String OWN_KEY = "own-key";
  private static final Duration MEMORY = Duration.ofDays(1);
  private static final Duration SWEEP = Duration.ofHours(1);

  private ExactCopies() {}

  static Topology topology(
      String source, String unique, String duplicate, boolean inMemory, Properties settings) {
    Serde<byte[]> bytes = Serdes.ByteArray();
    KeyValueBytesStoreSupplier store =
        inMemory ? Stores.inMemoryKeyValueStore(STORE) : Stores.persistentKeyValueStore(STORE);
    StreamsBuilder builder = new StreamsBuilder();
    builder.addStateStore(Stores.keyValueStoreBuilder(store, bytes, Serdes.Long()));
    builder.stream(source, Consumed.with(bytes, bytes))
        .process(Hashing::new)
        .repartition(Repartitioned.<byte[], byte[]>as("by-content").withKeySerde(bytes).withValueSerde(bytes))
        .process(Judge::new, STORE)
        .split()
        .branch(
            (key, judged) -> judged.first,
            Branched.withConsumer(
                s -> s.mapValues(Judged::document).to(unique, Produced.with(bytes, bytes))))
        .defaultBranch(
            Branched.withConsumer(
                s -> s.mapValues(Judged::document).to(duplicate, Produced.with(bytes, bytes))));
    return builder.build(settings);
  }

  /** Hashing makes the hash of the content the key. The document's own key goes into a header. */
  private static final class Hashing implements Processor<byte[], byte[], byte[], byte[]> {
    private final MessageDigest digest = sha256();
    private ProcessorContext<byte[], byte[]> context;

    @Override
    public void init(ProcessorContext<byte[], byte[]> context) {
      this.context = context;
    }

    @Override
    public void process(Record<byte[], byte[]> document) {
      if (document.key() != null) {
        document.headers().add(OWN_KEY, document.key());
      }
      context.forward(document.withKey(Arrays.copyOf(digest.digest(document.value()), 16)));
    }

    private static MessageDigest sha256() {
      try {
        return MessageDigest.getInstance("SHA-256");
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every Java has SHA-256", e);
      }
    }
  }

  private record Judged(byte[] document, boolean first) {}

  /** Judge holds the hashes of one partition of the repartition topic. */
  private static final class Judge implements Processor<byte[], byte[], byte[], Judged> {
    private ProcessorContext<byte[], Judged> context;
    private KeyValueStore<byte[], Long> seen;

    @Override
    public void init(ProcessorContext<byte[], Judged> context) {
      this.context = context;
      seen = context.getStateStore(STORE);
      context.schedule(SWEEP, PunctuationType.STREAM_TIME, this::forget);
    }

    @Override
    public void process(Record<byte[], byte[]> document) {
      Long before = seen.get(document.key());
      boolean first = before == null || document.timestamp() - before > MEMORY.toMillis();
      if (first) {
        seen.put(document.key(), document.timestamp());
      }
      Header own = document.headers().lastHeader(OWN_KEY);
      document.headers().remove(OWN_KEY);
      context.forward(
          document.withKey(own == null ? null : own.value()).withValue(new Judged(document.value(), first)));
    }

    private void forget(long now) {
      try (KeyValueIterator<byte[], Long> all = seen.all()) {
        while (all.hasNext()) {
          KeyValue<byte[], Long> one = all.next();
          if (now - one.value > MEMORY.toMillis()) {
            seen.delete(one.key);
          }
        }
      }
    }
  }
}
