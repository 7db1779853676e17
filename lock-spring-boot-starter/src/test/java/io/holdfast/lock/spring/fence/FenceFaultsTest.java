package io.holdfast.lock.spring.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.holdfast.lock.spring.WorkerJvm;
import io.holdfast.lock.spring.transaction.TestPostgres;
import io.holdfast.lock.testing.RedisServerProcess;
import io.holdfast.lock.testing.TestRedis;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.h2.tools.Server;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import redis.clients.jedis.Jedis;

/**
 * Processes that are stopped for a second while they hold a lock with a lease of 500 ms, also between the check before the commit and the
 * commit, and a Redis that loses its data every five seconds; the first time, and each third time after that, it dies, and another one
 * without data takes its place. An update is lost if two transactions have written the same value.
 */
class FenceFaultsTest {

    private static final Duration FAULT = Duration.ofSeconds(5);

    private final AtomicInteger done = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    private interface Database extends AutoCloseable {
        String url();
    }

    private static Database database(String name) throws Exception {
        if (name.equals("h2")) {
            Server server =
                    Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
            String url = "jdbc:h2:tcp://" + InetAddress.getLoopbackAddress().getHostAddress() + ":" + server.getPort()
                    + "/mem:faults;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=30000";
            return new Database() {
                @Override
                public String url() {
                    return url;
                }

                @Override
                public void close() {
                    server.stop();
                }
            };
        }
        String url = name.equals("postgresql") ? TestPostgres.url() : System.getProperty("fence.url");
        return new Database() {
            @Override
            public String url() {
                return url;
            }

            @Override
            public void close() {}
        };
    }

    private void hear(String line, CountDownLatch ready) {
        if (line.equals("READY")) {
            ready.countDown();
        } else if (line.equals("DONE")) {
            done.incrementAndGet();
        } else if (line.startsWith("REFUSED LockLost")) {
            refused.incrementAndGet();
        }
    }

    /** Runs until there are enough transactions, or a lost update. Returns how many updates were lost. */
    private int lost(String name, boolean fenced, int processes, int stopEvery, BooleanSupplier isEnough)
            throws Exception {
        List<WorkerJvm> workers = new ArrayList<>();
        CountDownLatch ready = new CountDownLatch(processes);
        try (Database database = database(name);
                RedisServerProcess redis = RedisServerProcess.start()) {
            JdbcTemplate jdbc = new JdbcTemplate(new DriverManagerDataSource(database.url()));
            for (String table : List.of("counter", "ledger", "holdfast_fence")) {
                jdbc.execute("drop table if exists " + table);
            }
            jdbc.execute("create table counter (id int primary key, amount int not null)");
            jdbc.execute("create table ledger (amount int not null)");
            jdbc.execute("create index ledger_amount on ledger (amount)");
            jdbc.update("insert into counter (id, amount) values (1, 0)");
            for (int i = 0; i < processes; i++) {
                workers.add(WorkerJvm.start(
                        line -> hear(line, ready),
                        FenceWorker.class,
                        String.valueOf(redis.port()),
                        database.url(),
                        String.valueOf(fenced),
                        String.valueOf(stopEvery)));
            }
            assertThat(ready.await(8, TimeUnit.MINUTES)).isTrue();
            int lost = 0;
            int faults = 0;
            for (long last = System.nanoTime(); !isEnough.getAsBoolean() && lost == 0; Thread.sleep(100)) {
                if (System.nanoTime() - last > FAULT.toNanos()) {
                    forget(redis, ++faults % 3 == 1);
                    last = System.nanoTime();
                }
                lost = lost(jdbc);
            }
            for (WorkerJvm each : workers) {
                each.close();
            }
            return lost(jdbc);
        } finally {
            for (WorkerJvm each : workers) {
                each.close();
            }
        }
    }

    private static void forget(RedisServerProcess redis, boolean dies) {
        if (dies) {
            redis.kill();
            redis.startAgain();
        } else {
            try (Jedis client = TestRedis.administrator(redis.port())) {
                client.flushAll();
            }
        }
    }

    private static int lost(JdbcTemplate jdbc) {
        return jdbc.queryForObject("select count(*) - count(distinct amount) from ledger", Integer.class);
    }

    @Test
    void updates_are_lost_without_the_fence() throws Exception {
        assertThat(lost("postgresql", false, 2, 3, () -> false)).isPositive();
    }

    @Test
    void no_update_is_lost_with_the_fence() throws Exception {
        assertThat(lost("postgresql", true, 2, 5, () -> done.get() >= 20 && refused.get() >= 2))
                .isZero();
    }

    /** {@code -Dfence.transactions=100000}; with {@code -Dfence.url}, on that database, too. */
    @Tag("full")
    @Timeout(value = 4, unit = TimeUnit.HOURS) // with -Dfence.transactions
    @ParameterizedTest
    @ValueSource(strings = {"postgresql", "h2", "url"})
    void no_update_of_many_is_lost_with_the_fence(String database) throws Exception {
        assumeTrue(!database.equals("url") || System.getProperty("fence.url") != null, "no fence.url");
        int enough = Integer.getInteger("fence.transactions", 40);
        assertThat(lost(database, true, 4, Math.max(10, enough / 500), () -> done.get() >= enough))
                .isZero();
    }
}
