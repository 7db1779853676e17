package io.holdfast.lock.spring.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.WorkerJvm;
import io.holdfast.lock.testing.RedisServerProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Four processes with clocks that differ, which are killed, stopped and started while they run jobs, and a Redis that is killed and started
 * again, with its data. From the rows that the runs have written: each fire time has a run that succeeded; it has another only as a take-over
 * from a run that a fault hit; and a delay is kept from one run to the next.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES) // with -Djobs.seconds
class JobFaultsTest {

    private static final int INSTANCES = 4;
    /** The lease, and a second; and what a machine that is busy with starting processes adds. */
    private static final long QUIET_MILLIS = 15_000;

    /** What a run has written. */
    private record Row(String job, long fireTime, int attempt, long token, long millis) {

        private static Row parse(String line) {
            String[] part = line.split(" ", -1);
            return new Row(
                    part[1],
                    Long.parseLong(part[2]),
                    Integer.parseInt(part[3]),
                    Long.parseLong(part[4]),
                    Long.parseLong(part[5]));
        }
    }

    private final ConcurrentLinkedQueue<Row> begun = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Row> done = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private final CountDownLatch ready = new CountDownLatch(INSTANCES);
    private int faults;

    private WorkerJvm start(RedisServerProcess redis, long offsetMillis, int period) throws IOException {
        return WorkerJvm.start(
                this::hear,
                JobWorker.class,
                String.valueOf(redis.port()),
                String.valueOf(offsetMillis),
                String.valueOf(period));
    }

    private void hear(String line) {
        if (line.startsWith("BEGUN ")) {
            begun.add(Row.parse(line));
        } else if (line.startsWith("DONE ")) {
            done.add(Row.parse(line));
        } else if (line.startsWith("FAILED ")) {
            failures.add(line);
        } else if (line.equals("READY")) {
            ready.countDown();
        }
    }

    private void run(int period, long spreadMillis, Duration time) throws Exception {
        Random random = new Random(period);
        List<WorkerJvm> instances = new ArrayList<>();
        try (RedisServerProcess redis = RedisServerProcess.start("--appendonly", "yes", "--appendfsync", "always")) {
            for (int i = 0; i < INSTANCES; i++) {
                instances.add(start(redis, offset(i, spreadMillis), period));
            }
            assertThat(ready.await(8, TimeUnit.MINUTES)).isTrue();
            long start = System.currentTimeMillis();
            long end = start + time.toMillis();
            for (int fault = 0; System.currentTimeMillis() < end; fault++) {
                int index = random.nextInt(INSTANCES);
                WorkerJvm hit = instances.get(index);
                faults++;
                switch (fault % 4) {
                    case 0, 2 -> {
                        hit.kill();
                        instances.set(index, start(redis, offset(index, spreadMillis), period));
                    }
                    case 1 -> {
                        hit.signal("STOP");
                        Thread.sleep(random.nextInt(500, 5_000));
                        hit.signal("CONT");
                    }
                    default -> {
                        redis.kill();
                        Thread.sleep(random.nextInt(100, 1_500));
                        redis.startAgain();
                    }
                }
                Thread.sleep(QUIET_MILLIS);
            }
            check(period, start, System.currentTimeMillis() - QUIET_MILLIS / 2);
        } finally {
            for (WorkerJvm each : instances) {
                each.close();
            }
        }
    }

    private static long offset(int instance, long spreadMillis) {
        return spreadMillis * instance / (INSTANCES - 1) - spreadMillis / 2;
    }

    private void check(int period, long start, long end) {
        assertThat(failures).isEmpty();
        Map<Long, List<Row>> byFireTime = new TreeMap<>(
                done.stream().filter(row -> row.job().equals("timed")).collect(Collectors.groupingBy(Row::fireTime)));
        long step = period * 1_000L;
        List<Long> missing = new ArrayList<>();
        for (long fireTime = (start / step + 1) * step; fireTime < end; fireTime += step) {
            if (!byFireTime.containsKey(fireTime)) {
                missing.add(fireTime);
            }
        }
        assertThat(missing)
                .as(
                        "fire times without a run that succeeded, of %s since %s; %s faults; runs that began: %s",
                        byFireTime.size(), start, faults, begun)
                .isEmpty();
        checkAttempts("timed");
        checkAttempts("delayed");
        checkDelay();
        assertThat(done).filteredOn(row -> row.job().equals("delayed")).hasSizeGreaterThan(3);
    }

    /** A fire time is begun again only as the next attempt, and only as often as there were faults. */
    private void checkAttempts(String job) {
        Set<List<Long>> attempts = new HashSet<>();
        List<Row> rows = begun.stream()
                .filter(row -> row.job().equals(job))
                .sorted(Comparator.comparing(Row::token))
                .toList();
        long latest = 0;
        for (Row row : rows) {
            assertThat(attempts.add(List.of(row.fireTime(), (long) row.attempt())))
                    .as("two runs are %s", row)
                    .isTrue();
            assertThat(row.fireTime()).as("%s", row).isGreaterThanOrEqualTo(latest);
            latest = row.fireTime();
        }
        assertThat(rows.stream().filter(row -> row.attempt() > 1).count())
                .as("take-overs in %s", rows.size())
                .isLessThanOrEqualTo(faults);
    }

    /** From the end of a run to the beginning of the next by tokens, unless that is a take-over, on the clock of the machine. */
    private void checkDelay() {
        Map<Long, Long> ends = new TreeMap<>(done.stream()
                .filter(row -> row.job().equals("delayed"))
                .collect(Collectors.toMap(Row::token, Row::millis)));
        List<Row> rows = begun.stream()
                .filter(row -> row.job().equals("delayed"))
                .sorted(Comparator.comparing(Row::token))
                .toList();
        for (int i = 1; i < rows.size(); i++) {
            Long end = ends.get(rows.get(i - 1).token());
            if (end != null && rows.get(i).attempt() == 1) {
                assertThat(rows.get(i).millis() - end)
                        .as("%s after %s", rows.get(i), rows.get(i - 1))
                        .isGreaterThanOrEqualTo(JobWorker.DELAY.toMillis() - 2);
            }
        }
    }

    @Test
    void every_second_with_clocks_that_differ_by_less_than_half_a_second() throws Exception {
        run(1, 400, Duration.ofSeconds(20));
    }

    /** {@code -Djobs.seconds=600} takes ten minutes. */
    @Tag("full")
    @Test
    void every_second_for_longer() throws Exception {
        run(1, 400, Duration.ofSeconds(Long.getLong("jobs.seconds", 60)));
    }

    /** See above. */
    @Tag("full")
    @Test
    void every_ten_seconds_with_clocks_that_differ_by_four_seconds() throws Exception {
        run(10, 4_000, Duration.ofSeconds(Long.getLong("jobs.seconds", 90)));
    }
}
