package io.holdfast.lock.testing;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * Finds the commands in what one client sends, however it is split into chunks. A request is an array of bulk strings, or
 * an inline command.
 *
 * @see <a href="https://redis.io/docs/latest/develop/reference/protocol-spec/">Redis serialization protocol</a>
 */
final class RequestParser {

    private static final int CRLF = 2;

    private final Consumer<String> commands;
    private final StringBuilder line = new StringBuilder();
    private final StringBuilder name = new StringBuilder();
    private long bodyLeft;
    private boolean nameExpected;

    /**
     * Creates an instance.
     *
     * @param commands receives the name of each command, in upper case
     */
    RequestParser(Consumer<String> commands) {
        this.commands = commands;
    }

    void feed(byte[] bytes, int length) {
        int at = 0;
        while (at < length) {
            at = bodyLeft > 0 ? body(bytes, at, length) : character(bytes[at], at);
        }
    }

    private int body(byte[] bytes, int from, int length) {
        int count = (int) Math.min(bodyLeft, length - from);
        if (nameExpected) {
            name.append(new String(bytes, from, count, StandardCharsets.ISO_8859_1));
        }
        bodyLeft -= count;
        if (bodyLeft == 0 && nameExpected) {
            nameExpected = false;
            found(name.toString());
            name.setLength(0);
        }
        return from + count;
    }

    private int character(byte value, int at) {
        if (value == '\n') {
            line(line.toString().strip());
            line.setLength(0);
        } else {
            line.append((char) value);
        }
        return at + 1;
    }

    private void line(String text) {
        if (text.startsWith("*")) {
            nameExpected = Integer.parseInt(text.substring(1)) > 0;
        } else if (text.startsWith("$")) {
            bodyLeft = Long.parseLong(text.substring(1)) + CRLF;
        } else if (!text.isEmpty()) {
            found(text.split(" ", 2)[0]);
        }
    }

    private void found(String command) {
        commands.accept(command.strip().toUpperCase(Locale.ROOT));
    }
}
