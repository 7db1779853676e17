package io.holdfast.lock.spring.transaction;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import javax.sql.DataSource;

/** One PostgreSQL for all test classes; it ends with this JVM. */
public final class TestPostgres {

    private static final EmbeddedPostgres SERVER = start();

    private TestPostgres() {}

    private static EmbeddedPostgres start() {
        try {
            return EmbeddedPostgres.builder()
                    .setPGStartupWait(Duration.ofMinutes(2))
                    .setServerConfig("max_connections", "60")
                    .setServerConfig("fsync", "off")
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Opens a new connection each time. */
    public static DataSource dataSource() {
        return SERVER.getPostgresDatabase();
    }

    /** For other processes. */
    public static String url() {
        return SERVER.getJdbcUrl("postgres", "postgres");
    }
}
