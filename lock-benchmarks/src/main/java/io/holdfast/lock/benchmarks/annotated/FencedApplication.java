package io.holdfast.lock.benchmarks.annotated;

import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** An application with the starter, a database, one connection to it, and locks in memory: no call to Redis hides what the fence costs. */
@State(Scope.Benchmark)
public class FencedApplication {

    /** The databases that run here without an installation. */
    public enum Database {
        H2,
        POSTGRESQL
    }

    /** Transactions of one update, under a lock. */
    public static class Stock {

        private final JdbcTemplate jdbc;
        private final TransactionTemplate transaction;

        public Stock(DataSource database, PlatformTransactionManager manager) {
            this.jdbc = new JdbcTemplate(database);
            this.transaction = new TransactionTemplate(manager);
        }

        @DistributedLock(name = "item", key = "#id", waitFor = 0)
        public int reserve(int id) {
            return Objects.requireNonNull(transaction.execute(
                    status -> jdbc.update("update stock set reserved = reserved + 1 where id = ?", id)));
        }
    }

    @Param
    private Database database = Database.H2;

    @Param({"false", "true"})
    private boolean fenced;

    private @Nullable EmbeddedPostgres server;
    private @Nullable SingleConnectionDataSource connection;
    private @Nullable AnnotationConfigApplicationContext context;
    private @Nullable Stock stock;

    @Setup(Level.Trial)
    public void start() throws IOException {
        SingleConnectionDataSource connected = new SingleConnectionDataSource(url(), true);
        connection = connected;
        JdbcTemplate jdbc = new JdbcTemplate(connected);
        jdbc.execute("create table stock (id int primary key, reserved int not null)");
        for (int id = 0; id < FenceOverhead.IDS; id++) {
            jdbc.update("insert into stock (id, reserved) values (?, 0)", id);
        }
        AnnotationConfigApplicationContext started = new AnnotationConfigApplicationContext();
        started.getEnvironment()
                .getPropertySources()
                .addFirst(new MapPropertySource(
                        "benchmark",
                        Map.of(
                                "holdfast.transactions.fence.enabled",
                                fenced,
                                "holdfast.transactions.fence.initialize-schema",
                                "always")));
        started.registerBean(InMemoryLockStore.class);
        started.registerBean(DataSource.class, () -> connected);
        started.registerBean(DataSourceTransactionManager.class, () -> new DataSourceTransactionManager(connected));
        started.registerBean(Stock.class);
        started.register(Application.Starter.class);
        started.refresh();
        context = started;
        stock = started.getBean(Stock.class);
    }

    private String url() throws IOException {
        if (database == Database.H2) {
            return "jdbc:h2:mem:fence";
        }
        EmbeddedPostgres started = EmbeddedPostgres.builder()
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .start();
        server = started;
        return started.getJdbcUrl("postgres", "postgres");
    }

    @TearDown(Level.Trial)
    public void stop() throws IOException {
        Objects.requireNonNull(context).close();
        Objects.requireNonNull(connection).destroy();
        if (server != null) {
            server.close();
        }
    }

    Stock stock() {
        return Objects.requireNonNull(stock);
    }
}
