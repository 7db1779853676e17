package io.holdfast.lock.history;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What several processes have recorded.
 *
 * @param attempts all calls to acquire, with what came of them
 */
public record History(List<Attempt> attempts) {

    public History {
        attempts = List.copyOf(attempts);
    }

    /** How long each record of a directory was at some time, by its name. */
    public record Mark(Map<String, Long> lengths) {

        /** {@return how long they are now} */
        public static Mark of(Path directory) throws IOException {
            Map<String, Long> lengths = new HashMap<>();
            for (Path file : files(directory)) {
                lengths.put(file.getFileName().toString(), Files.size(file));
            }
            return new Mark(lengths);
        }
    }

    /** Reads the records of a directory; they may still grow. */
    public static History read(Path directory) throws IOException {
        return read(directory, new Mark(Map.of()));
    }

    /** Reads what was recorded after the mark was made; of calls that had begun before it says nothing. */
    public static History read(Path directory, Mark since) throws IOException {
        Map<String, Attempts> records = new TreeMap<>();
        for (Path file : files(directory)) {
            String process = file.getFileName().toString();
            records.put(process, attempts(process, file, since.lengths().getOrDefault(process, 0L)));
        }
        return of(records.values());
    }

    private static List<Path> files(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    /** Line by line, since records may be long. A last line without an end was cut off when its process was killed. */
    private static Attempts attempts(String process, Path file, long from) throws IOException {
        Attempts attempts = new Attempts(process);
        try (InputStream bytes = new BufferedInputStream(Files.newInputStream(file), 1 << 16)) {
            StringBuilder line = new StringBuilder();
            skip(bytes, from);
            for (int next = bytes.read(); next >= 0; next = bytes.read()) {
                if (next == '\n') {
                    attempts.add(Event.parse(line.toString()));
                    line.setLength(0);
                } else {
                    line.append((char) next);
                }
            }
        }
        return attempts;
    }

    /** To the beginning of the first line that does not begin before that. */
    private static void skip(InputStream bytes, long from) throws IOException {
        if (from > 0) {
            bytes.skipNBytes(from - 1);
            int next = bytes.read();
            while (next >= 0 && next != '\n') {
                next = bytes.read();
            }
        }
    }

    private static History of(Collection<Attempts> records) {
        return new History(
                records.stream().map(Attempts::build).flatMap(List::stream).toList());
    }

    /** @param records by the names of the processes */
    static History of(Map<String, List<Event>> records) {
        Map<String, Attempts> attempts = new TreeMap<>();
        records.forEach((process, events) -> {
            attempts.put(process, new Attempts(process));
            events.forEach(attempts.get(process)::add);
        });
        return of(attempts.values());
    }

    public List<Attempt> grants() {
        return attempts.stream().filter(Attempt::isGranted).toList();
    }

    Map<String, List<Attempt>> grantsByKey() {
        return grants().stream().collect(Collectors.groupingBy(Attempt::key, TreeMap::new, Collectors.toList()));
    }

    public Map<String, Long> failures() {
        return attempts.stream()
                .flatMap(attempt -> attempt.failures().stream())
                .collect(Collectors.groupingBy(failure -> failure, TreeMap::new, Collectors.counting()));
    }

    public long losses() {
        return attempts.stream().filter(Attempt::lost).count();
    }
}
