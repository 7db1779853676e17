package io.holdfast.lock.history;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
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

    /** Reads the records of a directory; they may still grow. */
    public static History read(Path directory) throws IOException {
        Map<String, List<Event>> records = new HashMap<>();
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.toList()) {
                records.put(file.getFileName().toString(), events(file));
            }
        }
        return of(records);
    }

    /** A last line without an end was cut off when its process was killed. */
    private static List<Event> events(Path file) throws IOException {
        String text = Files.readString(file, StandardCharsets.UTF_8);
        return text.substring(0, text.lastIndexOf('\n') + 1)
                .lines()
                .map(Event::parse)
                .toList();
    }

    /** @param records by the names of the processes */
    static History of(Map<String, List<Event>> records) {
        List<Attempt> attempts = new ArrayList<>();
        new TreeMap<>(records).forEach((process, events) -> attempts.addAll(attempts(process, events)));
        return new History(attempts);
    }

    private static List<Attempt> attempts(String process, Collection<Event> events) {
        Map<Long, AttemptBuilder> byHandle = new LinkedHashMap<>();
        long last = Attempt.NEVER;
        for (Event event : events) {
            if (event instanceof Event.Invoked invoked) {
                byHandle.put(invoked.handle(), new AttemptBuilder(process, invoked));
            } else {
                byHandle.get(event.handle()).add(event);
            }
            last = Math.max(last, event.at());
        }
        long known = last;
        return byHandle.values().stream().map(each -> each.build(known)).toList();
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
