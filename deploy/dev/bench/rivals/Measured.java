package rivals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Properties;
import org.apache.kafka.streams.CloseOptions;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;

/**
 * Measured runs the application as often as it is told, in one process, so that its code is compiled when it counts.
 *
 * <p>Arguments: SETTING SERVERS COMPRESSION, then NAME=VALUE for properties that differ. It reads lines: "run GROUP
 * SOURCE UNIQUE DUPLICATE DIRECTORY" and "stop". It writes lines: "ready", "began" with the first documents that
 * arrive, "committed UNIQUE DUPLICATE" after each transaction, "ended", and "failed WHY".
 */
final class Measured {
  private static final Duration CLOSE_BOUND = Duration.ofSeconds(60);

  private final Setting setting;
  private final Properties common;
  private KafkaStreams running;

  private Measured(Setting setting, Properties common) {
    this.setting = setting;
    this.common = common;
  }

  public static void main(String[] args) throws IOException {
    Setting setting = Setting.valueOf(args[0]);
    new Measured(setting, setting.properties(args[1], args[2])).serve();
  }

  private void serve() throws IOException {
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    tell("ready");
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      String[] words = line.split(" ");
      if (words[0].equals("run")) {
        run(words[1], words[2], words[3], words[4], words[5]);
      } else {
        stop();
      }
    }
    System.exit(0); // whoever started this is gone
  }

  private void run(String group, String source, String unique, String duplicate, String directory) {
    System.gc(); // so that this run does not pay for what the last one left
    Properties p = new Properties();
    p.putAll(common);
    p.put(StreamsConfig.APPLICATION_ID_CONFIG, group);
    p.put(StreamsConfig.STATE_DIR_CONFIG, directory);
    running =
        new KafkaStreams(
            ExactCopies.topology(source, unique, duplicate, setting.inMemory(), p),
            p,
            new CountedClients(unique, duplicate));
    running.setUncaughtExceptionHandler(
        e -> {
          tell("failed " + e.toString().replace('\n', ' '));
          return StreamThreadExceptionResponse.SHUTDOWN_CLIENT;
        });
    running.start();
  }

  private void stop() {
    running.close(
        CloseOptions.timeout(CLOSE_BOUND)
            .withGroupMembershipOperation(CloseOptions.GroupMembershipOperation.LEAVE_GROUP));
    running.cleanUp();
    tell("ended");
  }

  static synchronized void tell(String line) {
    System.out.println(line);
    System.out.flush();
  }
}
