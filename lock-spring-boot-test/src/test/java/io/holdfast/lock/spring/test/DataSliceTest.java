package io.holdfast.lock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.redis.RedisLockStore;
import io.holdfast.lock.spring.LockConfigurationException;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.testing.TestRedis;
import java.util.List;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.data.redis.test.autoconfigure.DataRedisTest;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.annotation.Import;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.ContextConfiguration;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Annotated beans in tests of the data layer, and of the whole, on a real Redis and a real database. */
@Timeout(60)
class DataSliceTest {

    private static final String KEY = "data-slice";

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Shop {}

    static void redis(DynamicPropertyRegistry properties) {
        properties.add("spring.data.redis.host", () -> "127.0.0.1");
        properties.add("spring.data.redis.port", () -> TestRedis.shared().port());
        properties.add("holdfast.redis.command-timeout", () -> "30s"); // the machine may stand still
    }

    static class RedisOrders {

        private final StringRedisTemplate redis;

        RedisOrders(StringRedisTemplate redis) {
            this.redis = redis;
        }

        @DistributedLock(key = "'" + KEY + "'")
        public boolean isLocked() {
            return Boolean.TRUE.equals(redis.hasKey("holdfast:{" + KEY + "}"));
        }
    }

    @Nested
    @DataRedisTest
    @ContextConfiguration(classes = Shop.class)
    @Import(RedisOrders.class)
    class OnRedis {

        @DynamicPropertySource
        static void place(DynamicPropertyRegistry properties) {
            redis(properties);
        }

        @Test
        void annotated_method_is_locked_in_the_redis_of_the_test(
                @Autowired RedisOrders orders, @Autowired LockStore store) {
            assertThat(store).isInstanceOf(RedisLockStore.class);
            assertThat(orders.isLocked()).isTrue();
        }
    }

    @Nested
    @DataRedisTest
    @ContextConfiguration(classes = Shop.class)
    @Import(RedisOrders.class)
    @AutoConfigureTestLocks
    class OnRedisWithTestLocks {

        @DynamicPropertySource
        static void place(DynamicPropertyRegistry properties) {
            redis(properties);
        }

        @Test
        void annotated_method_is_locked_in_memory(@Autowired RedisOrders orders, @Autowired LockStore store) {
            assertThat(store).isInstanceOf(SimulatedLockStore.class);
            orders.isLocked();
        }
    }

    @Nested
    @SpringBootTest(classes = Shop.class, webEnvironment = WebEnvironment.NONE)
    @Import(RedisOrders.class)
    class WholeApplication {

        @DynamicPropertySource
        static void place(DynamicPropertyRegistry properties) {
            redis(properties);
        }

        @Test
        void annotated_method_is_locked_as_in_production(@Autowired RedisOrders orders, @Autowired LockStore store) {
            assertThat(store).isInstanceOf(RedisLockStore.class);
            assertThat(orders.isLocked()).isTrue();
        }
    }

    static class JdbcOrders {

        private final JdbcTemplate jdbc;

        JdbcOrders(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @DistributedLock(key = "'" + KEY + "'")
        @Transactional
        public List<Integer> one() {
            return jdbc.queryForList("select 1", Integer.class);
        }

        @DistributedLock(key = "'" + KEY + "'")
        @Transactional
        public void write(Runnable meanwhile) {
            jdbc.update("insert into sold (id) values (1)");
            meanwhile.run();
        }
    }

    @Nested
    @JdbcTest
    @ContextConfiguration(classes = Shop.class)
    @Import(JdbcOrders.class)
    class OnADatabase {

        @Test
        void annotated_method_fails_instead_of_running_unlocked(@Autowired JdbcOrders orders) {
            assertThatThrownBy(orders::one)
                    .isInstanceOf(LockConfigurationException.class)
                    .hasMessageContaining("@AutoConfigureTestLocks");
        }
    }

    @Nested
    @JdbcTest
    @ContextConfiguration(classes = Shop.class)
    @Import(JdbcOrders.class)
    @AutoConfigureTestLocks
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    class OnADatabaseWithTestLocks {

        @Autowired
        JdbcOrders orders;

        @Autowired
        TestLocks testLocks;

        @Autowired
        JdbcTemplate jdbc;

        @Test
        @Order(1)
        void lock_that_is_taken_in_the_transaction_of_a_test_is_kept_until_it_ends() {
            assertThat(orders.one()).containsExactly(1);
            assertThat(testLocks.isHeld(KEY)).isTrue();
        }

        @Test
        @Order(2)
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        void it_is_free_after_that() {
            assertThat(testLocks.heldKeys()).isEmpty();
            orders.one();
            assertThat(testLocks.isHeld(KEY)).isFalse();
        }

        @Test
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        void transaction_whose_lock_is_lost_is_rolled_back() {
            jdbc.execute("drop table if exists sold");
            jdbc.execute("create table sold (id int)");
            assertThatThrownBy(() -> orders.write(() -> testLocks.lose(KEY))).isInstanceOf(LockLostException.class);
            assertThat(jdbc.queryForList("select id from sold")).isEmpty();

            orders.write(() -> {});
            assertThat(jdbc.queryForList("select id from sold")).hasSize(1);
        }
    }
}
