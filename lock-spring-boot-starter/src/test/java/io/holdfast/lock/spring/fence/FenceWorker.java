package io.holdfast.lock.spring.fence;

import io.holdfast.lock.api.LockException;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.WorkerJvm;
import io.holdfast.lock.spring.annotation.DistributedLock;
import java.io.IOException;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A process that increments the counter under a lock, and writes each value to the ledger. Now and then it is stopped for a second: before
 * its transaction, in it, or between the check before the commit and the commit.
 */
final class FenceWorker {

    private static final int PLACES = 3;

    private FenceWorker() {}

    /** Arguments: port of Redis, JDBC URL, whether the fence is on, every which transaction is stopped. Ends with the standard input. */
    public static void main(String[] arguments) {
        int stopEvery = Integer.parseInt(arguments[3]);
        Runners.redis(Integer.parseInt(arguments[0]))
                .withBean(SmallPool.class, () -> new SmallPool(new DriverManagerDataSource(arguments[1]), 4))
                .withUserConfiguration(Application.class)
                .withPropertyValues(
                        "holdfast.lease=500ms",
                        "holdfast.transactions.commit-margin=100ms",
                        "holdfast.transactions.fence.enabled=" + arguments[2],
                        "holdfast.transactions.fence.initialize-schema=always")
                .run(context -> {
                    WorkerJvm.say(
                            context.getStartupFailure() == null ? "READY" : "FAILED " + context.getStartupFailure());
                    Thread work = new Thread(() -> work(context.getBean(Counter.class), stopEvery));
                    work.setDaemon(true);
                    work.start();
                    WorkerJvm.awaitEndOfInput();
                    System.exit(0);
                });
    }

    private static void work(Counter counter, int stopEvery) {
        while (true) {
            boolean stops = ThreadLocalRandom.current().nextInt(stopEvery) == 0;
            int place = stops ? ThreadLocalRandom.current().nextInt(PLACES) : PLACES;
            try {
                counter.increment(place);
                WorkerJvm.say("DONE");
            } catch (LockException | DataAccessException | TransactionException refused) {
                WorkerJvm.say("REFUSED " + refused.getClass().getSimpleName());
            }
        }
    }

    /** Another process continues this one. */
    private static void stopForASecond() {
        long pid = ProcessHandle.current().pid();
        try {
            new ProcessBuilder("sh", "-c", "kill -STOP " + pid + "; sleep 1; kill -CONT " + pid)
                    .start()
                    .waitFor();
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Application {

        @Bean
        PlatformTransactionManager transactionManager(SmallPool pool) {
            return new DataSourceTransactionManager(pool);
        }

        @Bean
        Counter counter(SmallPool pool, PlatformTransactionManager transactionManager) {
            return new Counter(pool, new TransactionTemplate(transactionManager));
        }
    }

    static class Counter {

        private final SmallPool pool;
        private final JdbcTemplate jdbc;
        private final TransactionTemplate transaction;

        Counter(SmallPool pool, TransactionTemplate transaction) {
            this.pool = pool;
            this.jdbc = new JdbcTemplate(pool);
            this.transaction = transaction;
        }

        @DistributedLock(key = "'counter'", waitFor = 10)
        public void increment(int place) {
            if (place == 0) {
                stopForASecond();
            }
            pool.statements.clear();
            pool.beforeCommit = place == 2 ? FenceWorker::stopForASecond : () -> {};
            transaction.executeWithoutResult(status -> {
                int next = jdbc.queryForObject("select amount from counter where id = ?", Integer.class, 1) + 1;
                if (place == 1) {
                    stopForASecond();
                }
                jdbc.update("update counter set amount = ? where id = ?", next, 1);
                jdbc.update("insert into ledger (amount) values (?)", next);
            });
        }
    }
}
