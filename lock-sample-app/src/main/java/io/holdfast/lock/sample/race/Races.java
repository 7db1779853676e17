package io.holdfast.lock.sample.race;

import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.GeneratedKeyHolder;
import org.springframework.jdbc.support.KeyHolder;
import org.springframework.stereotype.Repository;
import org.springframework.web.server.ResponseStatusException;

/** Races and who runs in them: the instances coordinate through these rows and never compare their clocks. */
@Repository
class Races {

    private static final int KEPT = 20;

    private final JdbcClient jdbc;

    Races(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Writes the race down and invites every instance that is alive. */
    long call(RaceSettings settings) {
        KeyHolder key = new GeneratedKeyHolder();
        jdbc.sql("INSERT INTO race (items, locked, pause, workers, state, remaining)" + " VALUES (?, ?, ?, ?, ?, ?)")
                .params(
                        settings.items(),
                        settings.locked(),
                        settings.pause(),
                        settings.workers(),
                        RaceState.CALLED.name(),
                        settings.items())
                .update(key, "id");
        long id = Objects.requireNonNull(key.getKeyAs(Long.class));
        jdbc.sql("DELETE FROM race WHERE id <= ?").param(id - KEPT).update();
        jdbc.sql("INSERT INTO race_instance (race_id, instance_id, instance_name, state)"
                        + " SELECT CAST(? AS BIGINT), id, name, CAST(? AS VARCHAR(10)) FROM instance WHERE "
                        + Instances.ALIVE)
                .params(id, RunnerState.INVITED.name())
                .update();
        return id;
    }

    Race race(long id) {
        return jdbc.sql("SELECT id, items, locked, pause, workers, state, remaining FROM race WHERE id = ?")
                .param(id)
                .query(Race.class)
                .optional()
                .orElseThrow(
                        () -> new ResponseStatusException(HttpStatus.NOT_FOUND, "Race " + id + " no longer exists."));
    }

    /** {@return the ids of the latest races, the latest first} */
    List<Long> latest(int most) {
        return jdbc.sql("SELECT id FROM race ORDER BY id DESC LIMIT ?")
                .param(most)
                .query(Long.class)
                .list();
    }

    void state(long id, RaceState state) {
        jdbc.sql("UPDATE race SET state = ? WHERE id = ?")
                .params(state.name(), id)
                .update();
    }

    Optional<Long> invitation(String instance) {
        return jdbc.sql("SELECT race_id FROM race_instance JOIN race ON race.id = race_id"
                        + " WHERE instance_id = ? AND race_instance.state = ? AND race.state = ?")
                .params(instance, RunnerState.INVITED.name(), RaceState.CALLED.name())
                .query(Long.class)
                .optional();
    }

    void ready(long id, String instance) {
        jdbc.sql("UPDATE race_instance SET state = ? WHERE race_id = ? AND instance_id = ? AND state = ?")
                .params(RunnerState.READY.name(), id, instance, RunnerState.INVITED.name())
                .update();
    }

    /** From now on an instance in that state does not take part, or takes part no longer. */
    void giveUp(long id, RunnerState late, boolean onlyTheDead) {
        jdbc.sql("UPDATE race_instance SET state = ? WHERE race_id = ? AND state = ?"
                        + (onlyTheDead
                                ? " AND instance_id NOT IN (SELECT id FROM instance WHERE " + Instances.ALIVE + ")"
                                : ""))
                .params(RunnerState.GONE.name(), id, late.name())
                .update();
    }

    boolean anyoneIn(long id, RunnerState state) {
        return jdbc.sql("SELECT COUNT(*) FROM race_instance WHERE race_id = ? AND state = ?")
                        .params(id, state.name())
                        .query(Integer.class)
                        .single()
                > 0;
    }

    boolean runs(long id, String instance) {
        return jdbc.sql("SELECT state FROM race_instance WHERE race_id = ? AND instance_id = ?")
                .params(id, instance)
                .query(String.class)
                .list()
                .equals(List.of(RunnerState.READY.name()));
    }

    void finish(long id, String instance, Selling.Tally tally) {
        Waits waits = tally.waits();
        jdbc.sql("UPDATE race_instance SET state = ?, waits = ?, waited_nanos = ?, max_wait_nanos = ?,"
                        + " elapsed_nanos = ?, failure = ? WHERE race_id = ? AND instance_id = ?")
                .params(
                        RunnerState.DONE.name(),
                        waits.count(),
                        waits.totalNanos(),
                        waits.maxNanos(),
                        tally.elapsedNanos(),
                        tally.failure(),
                        id,
                        instance)
                .update();
    }
}
