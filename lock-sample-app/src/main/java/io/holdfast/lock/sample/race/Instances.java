package io.holdfast.lock.sample.race;

import jakarta.annotation.PreDestroy;
import java.util.List;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationStartedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Registers this instance, and lists those that are alive, by the clock of the database. */
@Component
class Instances {

    private static final Logger log = LoggerFactory.getLogger(Instances.class);

    /** An instance that is busy on a small machine may be late; one that is silent for this long is gone. */
    private static final String ALIVE = "heartbeat > CURRENT_TIMESTAMP - INTERVAL '5' SECOND";

    private final String id = UUID.randomUUID().toString();
    private final JdbcClient jdbc;
    private final Environment environment;

    Instances(JdbcClient jdbc, Environment environment) {
        this.jdbc = jdbc;
        this.environment = environment;
    }

    /**
     * @param port the port of its web server, on this machine
     */
    record Instance(String id, String name, int port) {}

    /** On a slow machine the first scheduled beat comes while the one of the startup is still registering the instance. */
    @EventListener(ApplicationStartedEvent.class)
    @Scheduled(initialDelay = 1000, fixedDelay = 1000)
    synchronized void beat() {
        int rows = jdbc.sql("UPDATE instance SET heartbeat = CURRENT_TIMESTAMP WHERE id = ?")
                .param(id)
                .update();
        if (rows == 0) {
            int port = environment.getProperty("local.server.port", Integer.class, 0);
            String name = "port " + port + ", pid " + ProcessHandle.current().pid();
            jdbc.sql("DELETE FROM instance WHERE NOT (" + ALIVE + ")").update(); // those that were killed earlier
            jdbc.sql("INSERT INTO instance (id, name, port, heartbeat) VALUES (?, ?, ?, CURRENT_TIMESTAMP)")
                    .params(id, name, port)
                    .update();
        }
    }

    List<Instance> alive() {
        return jdbc.sql("SELECT id, name, port FROM instance WHERE " + ALIVE + " ORDER BY name")
                .query(Instance.class)
                .list();
    }

    @PreDestroy
    void leave() {
        try {
            jdbc.sql("DELETE FROM instance WHERE id = ?").param(id).update();
        } catch (DataAccessException e) {
            log.debug("Could not unregister, because H2 is already closed; the heartbeat expires anyway", e);
        }
    }
}
