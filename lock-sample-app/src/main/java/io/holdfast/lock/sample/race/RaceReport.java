package io.holdfast.lock.sample.race;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Adds up what the instances wrote. Only rows of sales count as sold: nobody's own counter is trusted. */
@Repository
class RaceReport {

    private static final String RUNNERS = """
            SELECT instance_name, state, waits, waited_nanos, max_wait_nanos, elapsed_nanos, failure,
                   (SELECT COUNT(*) FROM sale
                    WHERE sale.race_id = race_instance.race_id AND sale.instance_id = race_instance.instance_id) AS sold
            FROM race_instance WHERE race_id = ? ORDER BY instance_name
            """;

    private final JdbcClient jdbc;
    private final Races races;

    RaceReport(JdbcClient jdbc, Races races) {
        this.jdbc = jdbc;
        this.races = races;
    }

    RaceResult of(long id) {
        Race race = races.race(id);
        List<Row> rows = jdbc.sql(RUNNERS).param(id).query(Row.class).list();
        int sold = rows.stream().mapToInt(Row::sold).sum();
        Waits waits = rows.stream().map(Row::all).reduce(Waits.NONE, Waits::and);
        long nanos = rows.stream().mapToLong(Row::elapsedNanos).max().orElse(0);
        return new RaceResult(
                id,
                race.locked(),
                race.items(),
                race.workers(),
                race.state(),
                sold,
                Math.max(0, sold - race.items()),
                race.remaining(),
                waits.meanMillis(),
                waits.maxMillis(),
                TimeUnit.NANOSECONDS.toMillis(nanos),
                rows.stream().map(Row::toResult).toList());
    }

    private record Row(
            String instanceName,
            RunnerState state,
            long waits,
            long waitedNanos,
            long maxWaitNanos,
            long elapsedNanos,
            String failure,
            int sold) {

        Waits all() {
            return new Waits(waits, waitedNanos, maxWaitNanos);
        }

        RunnerResult toResult() {
            return new RunnerResult(instanceName, state, sold, all().meanMillis(), all().maxMillis(), failure);
        }
    }
}
