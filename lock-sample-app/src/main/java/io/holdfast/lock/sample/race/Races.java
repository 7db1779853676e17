package io.holdfast.lock.sample.race;

import io.holdfast.lock.sample.race.Instances.Instance;
import io.holdfast.lock.sample.race.RaceResult.Runner;
import java.util.List;
import java.util.Objects;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Repository;
import org.springframework.web.server.ResponseStatusException;

/** Races and their runners. Only rows of sales count as sold: no runner's own counter is trusted. */
@Repository
class Races {

    private static final String RACE = """
            SELECT figures.*, GREATEST(sold - items, 0) AS oversold FROM
              (SELECT id, locked, pause, items, workers, state, remaining AS stock_left,
                 (SELECT COUNT(*) FROM sale WHERE race_id = race.id AND NOT refused) AS sold,
                 (SELECT COUNT(*) FROM sale WHERE race_id = race.id AND refused) AS refused,
                 (SELECT COALESCE(ROUND(SUM(waited_nanos) / 10000.0 / GREATEST(SUM(waits), 1)) / 100, 0)
                    FROM race_instance WHERE race_id = race.id) AS mean_wait_millis,
                 (SELECT COALESCE(ROUND(MAX(max_wait_nanos) / 10000.0) / 100, 0)
                    FROM race_instance WHERE race_id = race.id) AS max_wait_millis,
                 (SELECT COALESCE(MAX(elapsed_nanos) / 1000000, 0)
                    FROM race_instance WHERE race_id = race.id) AS duration_millis
               FROM race WHERE id = ?) figures
            """;

    private static final String RUNNERS = """
            SELECT instance_name AS instance,
              CASE WHEN finished THEN 'DONE' WHEN race.state = 'DONE' THEN 'GONE' ELSE 'RUNNING' END AS state,
              (SELECT COUNT(*) FROM sale
                 WHERE race_id = race.id AND instance_id = runner.instance_id AND NOT refused) AS sold,
              (SELECT COUNT(*) FROM sale
                 WHERE race_id = race.id AND instance_id = runner.instance_id AND refused) AS refused,
              ROUND(waited_nanos / 10000.0 / GREATEST(waits, 1)) / 100 AS mean_wait_millis,
              ROUND(max_wait_nanos / 10000.0) / 100 AS max_wait_millis, failure
            FROM race_instance runner JOIN race ON race.id = race_id WHERE race_id = ? ORDER BY instance_name
            """;

    private static final String SALES = """
            SELECT sale.id, instance_name AS instance, item, fencing_token, refused
            FROM sale JOIN race_instance
              ON sale.race_id = race_instance.race_id AND sale.instance_id = race_instance.instance_id
            WHERE sale.race_id = ? AND sale.id > ? ORDER BY sale.id LIMIT 5000
            """;

    private static final int KEPT = 20;

    private final JdbcClient jdbc;

    Races(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    long begin(RaceSettings settings, List<Instance> runners) {
        KeyHolder key = new GeneratedKeyHolder();
        jdbc.sql("INSERT INTO race (items, remaining, locked, pause, workers) VALUES (?, ?, ?, ?, ?)")
                .params(settings.items(), settings.items(), settings.locked(), settings.pause(), settings.workers())
                .update(key, "id");
        long id = Objects.requireNonNull(key.getKeyAs(Long.class));
        jdbc.sql("DELETE FROM race WHERE id <= ?").param(id - KEPT).update();
        for (Instance runner : runners) {
            jdbc.sql("INSERT INTO race_instance (race_id, instance_id, instance_name) VALUES (?, ?, ?)")
                    .params(id, runner.id(), runner.name())
                    .update();
        }
        return id;
    }

    void finish(long id, String instance, Selling.Tally tally) {
        jdbc.sql("UPDATE race_instance SET finished = TRUE, waits = ?, waited_nanos = ?, max_wait_nanos = ?,"
                        + " elapsed_nanos = ?, failure = ? WHERE race_id = ? AND instance_id = ?")
                .params(tally.waits(), tally.waitedNanos(), tally.maxWaitNanos(), tally.elapsedNanos())
                .params(tally.failure(), id, instance)
                .update();
    }

    void end(long id) {
        jdbc.sql("UPDATE race SET state = 'DONE' WHERE id = ?").param(id).update();
    }

    Race race(long id) {
        return jdbc.sql(RACE)
                .param(id)
                .query(Race.class)
                .optional()
                .orElseThrow(
                        () -> new ResponseStatusException(HttpStatus.NOT_FOUND, "Race " + id + " no longer exists."));
    }

    /** {@return the outcome of the race, or its current state} */
    RaceResult result(long id) {
        return new RaceResult(
                race(id), jdbc.sql(RUNNERS).param(id).query(Runner.class).list());
    }

    /** {@return the latest races, latest first} */
    List<RaceResult> latest() {
        return jdbc.sql("SELECT id FROM race ORDER BY id DESC LIMIT 8").query(Long.class).list().stream()
                .map(this::result)
                .toList();
    }

    /**
     * Sales in the order in which they were written. Sales that are written at the same time may appear in the wrong order: a
     * caller that needs all of them must query again after the race.
     *
     * @param after the id of the last known sale, or 0
     */
    List<Sale> sales(long race, long after) {
        return jdbc.sql(SALES).params(race, after).query(Sale.class).list();
    }
}
