package io.holdfast.lock.history;

/**
 * One line of a record: something that a process did with a handle, or learned about it. Times are {@link System#nanoTime},
 * see {@link Recorder}.
 */
public sealed interface Event {

    /** {@return which handle of that process; known from the call that acquires it} */
    long handle();

    /** {@return when it was recorded, at the earliest} */
    long at();

    /**
     * A call to acquire begins.
     *
     * @param limit 0 for the lock alone, otherwise how many may hold it together
     */
    record Invoked(long handle, String key, int limit, long at) implements Event {}

    /**
     * The call has returned a handle.
     *
     * @param hold the handle by which the thread holds the lock already; this one, if it is no reentry
     */
    record Granted(long handle, long hold, long token, long at) implements Event {}

    /**
     * The call, or a later one, has ended with an exception.
     *
     * @param failure its simple class name
     */
    record Failed(long handle, String failure, long at) implements Event {}

    /**
     * The handle was asked whether it is held.
     *
     * @param from just before the question
     * @param to just after the answer
     */
    record Sampled(long handle, long from, long to, boolean held) implements Event {

        @Override
        public long at() {
            return to;
        }
    }

    /** The handle has said that its lock is lost. */
    record Lost(long handle, long at) implements Event {}

    /** The handle is about to be closed. */
    record Closing(long handle, long at) implements Event {}

    /** The handle has been closed without an exception. */
    record Closed(long handle, long at) implements Event {}

    /** {@return one line, without its end} */
    default String text() {
        if (this instanceof Invoked event) {
            return line("invoked", event.key, event.limit, event.at);
        } else if (this instanceof Granted event) {
            return line("granted", event.hold, event.token, event.at);
        } else if (this instanceof Failed event) {
            return line("failed", event.failure, event.at);
        } else if (this instanceof Sampled event) {
            return line(event.held ? "held" : "not-held", event.from, event.to);
        } else if (this instanceof Lost event) {
            return line("lost", event.at);
        }
        return line(this instanceof Closing ? "closing" : "closed", at());
    }

    private String line(String kind, Object... values) {
        StringBuilder line = new StringBuilder(kind).append(' ').append(handle());
        for (Object value : values) {
            line.append(' ').append(value);
        }
        return line.toString();
    }

    /** The other way round than {@link #text}. */
    static Event parse(String line) {
        String[] words = line.split(" ");
        long handle = Long.parseLong(words[1]);
        return switch (words[0]) {
            case "invoked" -> new Invoked(handle, words[2], Integer.parseInt(words[3]), Long.parseLong(words[4]));
            case "granted" ->
                new Granted(handle, Long.parseLong(words[2]), Long.parseLong(words[3]), Long.parseLong(words[4]));
            case "failed" -> new Failed(handle, words[2], Long.parseLong(words[3]));
            case "held" -> new Sampled(handle, Long.parseLong(words[2]), Long.parseLong(words[3]), true);
            case "not-held" -> new Sampled(handle, Long.parseLong(words[2]), Long.parseLong(words[3]), false);
            case "lost" -> new Lost(handle, Long.parseLong(words[2]));
            case "closing" -> new Closing(handle, Long.parseLong(words[2]));
            case "closed" -> new Closed(handle, Long.parseLong(words[2]));
            default -> throw new IllegalArgumentException("Not an event: " + line);
        };
    }
}
