package io.holdfast.lock.sample.race;

import java.util.List;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Who is alive, by the clock of the database. */
@Repository
class Instances {

    /** An instance that is busy on a small machine may be late; one that is silent for this long is gone. */
    static final String ALIVE = "heartbeat > CURRENT_TIMESTAMP - INTERVAL '5' SECOND";

    private final JdbcClient jdbc;

    Instances(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    void beat(String id, String name) {
        int rows = jdbc.sql("UPDATE instance SET heartbeat = CURRENT_TIMESTAMP WHERE id = ?")
                .param(id)
                .update();
        if (rows == 0) {
            jdbc.sql("DELETE FROM instance WHERE NOT (" + ALIVE + ")").update(); // killed ones of earlier days
            jdbc.sql("INSERT INTO instance (id, name, heartbeat) VALUES (?, ?, CURRENT_TIMESTAMP)")
                    .params(id, name)
                    .update();
        }
    }

    List<String> alive() {
        return jdbc.sql("SELECT name FROM instance WHERE " + ALIVE + " ORDER BY name")
                .query(String.class)
                .list();
    }

    void leave(String id) {
        jdbc.sql("DELETE FROM instance WHERE id = ?").param(id).update();
    }
}
