package io.holdfast.lock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.annotation.Transactional;

/** Buyers on several nodes read the stock, and write what is left, under READ COMMITTED. */
@Timeout(120)
class OversellingTest {

    private static final int BUYERS = 6;
    private static final int STOCK = 40;

    static class Shop {

        private final JdbcTemplate jdbc;

        Shop(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @DistributedLock(key = "'article'", waitFor = 60)
        @Transactional(isolation = Isolation.READ_COMMITTED)
        public boolean buy() {
            return take();
        }

        @DistributedLock(key = "'article'", waitFor = 60)
        public boolean buyInside() {
            return take();
        }

        private boolean take() {
            int left = jdbc.queryForObject("select left_over from article", Integer.class);
            return left > 0 && jdbc.update("update article set left_over = ?", left - 1) == 1;
        }
    }

    static class Desk {

        private final Shop shop;

        Desk(Shop shop) {
            this.shop = shop;
        }

        @Transactional(isolation = Isolation.READ_COMMITTED)
        public boolean order() {
            return shop.buyInside();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Application {
        @Bean
        PooledByThread dataSource() {
            return new PooledByThread();
        }

        @Bean
        PlatformTransactionManager transactionManager(PooledByThread dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }

        @Bean
        JdbcTemplate jdbc(PooledByThread dataSource) {
            return new JdbcTemplate(dataSource);
        }
    }

    /** A connection for each thread, since opening one is what takes longest. */
    static class PooledByThread extends AbstractDataSource implements AutoCloseable {

        private final List<SingleConnectionDataSource> all = Collections.synchronizedList(new ArrayList<>());
        private final ThreadLocal<SingleConnectionDataSource> own = ThreadLocal.withInitial(this::open);

        private SingleConnectionDataSource open() {
            try {
                var opened =
                        new SingleConnectionDataSource(TestPostgres.dataSource().getConnection(), true);
                all.add(opened);
                return opened;
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public Connection getConnection() throws SQLException {
            return own.get().getConnection();
        }

        @Override
        public Connection getConnection(String user, String password) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void close() {
            all.forEach(SingleConnectionDataSource::destroy);
        }
    }

    private interface Way {
        boolean buy(ApplicationContext node);
    }

    /** How many two nodes sell together. */
    private static int sold(Way way) {
        var store = new InMemoryLockStore();
        var runner = Runners.starter()
                .withBean(LockTemplate.class, () -> LockEngine.builder(store).build())
                .withUserConfiguration(Application.class)
                .withBean(Shop.class)
                .withBean(Desk.class);
        int[] sold = new int[1];
        runner.run(first -> runner.run(second -> {
            JdbcTemplate jdbc = first.getBean(JdbcTemplate.class);
            jdbc.execute("drop table if exists article");
            jdbc.execute("create table article as select " + STOCK + " as left_over");
            sold[0] = inParallel(buyer -> way.buy(buyer % 2 == 0 ? first : second));
        }));
        return sold[0];
    }

    private static int inParallel(IntPredicate purchase) throws Exception {
        ExecutorService buyers = Executors.newFixedThreadPool(BUYERS);
        try {
            List<Future<Integer>> counts = new ArrayList<>();
            for (int i = 0; i < BUYERS; i++) {
                int buyer = i;
                counts.add(buyers.submit(() -> {
                    int bought = 0;
                    while (purchase.test(buyer)) {
                        bought++;
                    }
                    return bought;
                }));
            }
            int sum = 0;
            for (Future<Integer> count : counts) {
                sum += count.get();
            }
            return sum;
        } finally {
            buyers.shutdownNow();
        }
    }

    @Test
    void transactional_method_never_oversells() {
        assertThat(sold(node -> node.getBean(Shop.class).buy())).isEqualTo(STOCK);
    }

    @Test
    void locked_method_in_the_transaction_of_its_caller_never_oversells() {
        assertThat(sold(node -> node.getBean(Desk.class).order())).isEqualTo(STOCK);
    }
}
