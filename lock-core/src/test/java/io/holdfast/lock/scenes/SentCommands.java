package io.holdfast.lock.scenes;

import io.holdfast.lock.testing.TestRedis;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisMonitor;

/** The commands that clients send to a server, one by one; what scripts call inside is left out. */
final class SentCommands implements AutoCloseable {

    /** Time, database, where it comes from, and the command; scripts call from "lua". */
    private static final Pattern LINE = Pattern.compile("\\S+ \\[\\d+ (\\S+)] \"(\\w+)\"(.*)");

    private final List<String> sent = new CopyOnWriteArrayList<>();
    private final Jedis watching;
    private final Jedis marking;
    private volatile String lastMark = "";

    SentCommands(int port) {
        watching = new Jedis("127.0.0.1", port, 0);
        marking = TestRedis.administrator(port);
        Thread thread = new Thread(this::watch, "sent-commands");
        thread.setDaemon(true);
        thread.start();
        Clients.await(() -> !mark().isEmpty() && !lastMark.isEmpty());
        take();
    }

    private void watch() {
        try {
            watching.monitor(new JedisMonitor() {
                @Override
                public void onCommand(String line) {
                    Matcher command = LINE.matcher(line);
                    if (command.matches() && !command.group(1).equals("lua")) {
                        note(command.group(2).toLowerCase(Locale.ROOT), command.group(3));
                    }
                }
            });
        } catch (RuntimeException closed) {
            sent.add("closed");
        }
    }

    private void note(String command, String arguments) {
        if (command.equals("echo")) {
            lastMark = arguments;
        } else {
            sent.add(command);
        }
    }

    /** It is seen after all that was sent before. */
    private String mark() {
        return marking.echo(UUID.randomUUID().toString());
    }

    /** Since the last call, or the beginning; in lower case. */
    List<String> take() {
        String mark = mark();
        Clients.await(() -> lastMark.contains(mark));
        List<String> taken = List.copyOf(sent);
        sent.clear();
        return taken;
    }

    @Override
    public void close() {
        marking.close();
        watching.close();
    }
}
