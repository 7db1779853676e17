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
                    WHERE sale.race_id = race_instance.race_id AND sale.instance_id = race_instance.instance_id
                      AND NOT refused) AS sold,
                   (SELECT COUNT(*) FROM sale
                    WHERE sale.race_id = race_instance.race_id AND sale.instance_id = race_instance.instance_id
                      AND refused) AS refused
            FROM race_instance WHERE race_id = ? ORDER BY instance_name
            """;

    private static final String SALES = """
            SELECT sale.id, instance_name AS instance, item, fencing_token, refused
            FROM sale JOIN race_instance
              ON sale.race_id = race_instance.race_id AND sale.instance_id = race_instance.instance_id
            WHERE sale.race_id = ? AND sale.id > ? ORDER BY sale.id LIMIT ?
            """;

    private static final int SHOWN = 8;
    private static final int SALES_AT_ONCE = 5000;

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
                race.pause(),
                race.items(),
                race.workers(),
                race.state(),
                sold,
                Math.max(0, sold - race.items()),
                rows.stream().mapToInt(Row::refused).sum(),
                race.remaining(),
                waits.meanMillis(),
                waits.maxMillis(),
                TimeUnit.NANOSECONDS.toMillis(nanos),
                rows.stream().map(Row::toResult).toList());
    }

    /** {@return the latest races, the latest first} */
    List<RaceResult> latest() {
        return races.latest(SHOWN).stream().map(this::of).toList();
    }

    /**
     * What was sold, in the order in which it was written down. Sales that are written at the same time may appear in the
     * wrong order: who needs all of them asks again after the race.
     *
     * @param after the id of the last known sale, or 0
     */
    List<Sale> sales(long race, long after) {
        return jdbc.sql(SALES)
                .params(race, after, SALES_AT_ONCE)
                .query(Sale.class)
                .list();
    }

    private record Row(
            String instanceName,
            RunnerState state,
            long waits,
            long waitedNanos,
            long maxWaitNanos,
            long elapsedNanos,
            String failure,
            int sold,
            int refused) {

        Waits all() {
            return new Waits(waits, waitedNanos, maxWaitNanos);
        }

        RunnerResult toResult() {
            return new RunnerResult(instanceName, state, sold, refused, all().meanMillis(), all().maxMillis(), failure);
        }
    }
}
