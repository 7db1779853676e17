package io.holdfast.lock.benchmarks.contention;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A one-line message between the runner and a worker: its name, and values without spaces. */
record Message(String name, Map<String, String> values) {

    static final String READY = "READY";
    static final String GO = "GO";
    static final String WINDOW = "WINDOW";
    static final String END = "END";
    static final String REPORT = "REPORT";

    Message {
        values = new TreeMap<>(values);
    }

    static Message of(String name) {
        return new Message(name, Map.of());
    }

    static Message parse(String line) {
        String[] parts = line.strip().split(" ", -1);
        Map<String, String> values = new TreeMap<>();
        for (int i = 1; i < parts.length; i++) {
            String[] pair = parts[i].split("=", 2);
            values.put(pair[0], pair[1]);
        }
        return new Message(parts[0], values);
    }

    Message with(String key, Object value) {
        Map<String, String> more = new TreeMap<>(values);
        more.put(key, value.toString());
        return new Message(name, more);
    }

    String line() {
        return name
                + values.entrySet().stream()
                        .map(entry -> " " + entry.getKey() + "=" + entry.getValue())
                        .collect(Collectors.joining());
    }

    boolean has(String key) {
        return values.containsKey(key);
    }

    String text(String key) {
        String value = values.get(key);
        if (value == null) {
            throw new IllegalArgumentException("No " + key + " in " + this);
        }
        return value;
    }

    long number(String key) {
        return Long.parseLong(text(key));
    }
}
