package io.holdfast.lock.spring.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockStoreException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.leader.LeaderElection;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.leader.Term;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.holdfast.lock.store.LockStore;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** Whole applications, as their users test them. No Redis is there. */
@Timeout(60)
class AutoConfigureTestLocksTest {

    interface Gateway {
        void charge();
    }

    static class Orders {

        private final TestLocks testLocks;

        Orders(TestLocks testLocks) {
            this.testLocks = testLocks;
        }

        @DistributedLock(key = "'order:' + #id", waitFor = 86_400)
        boolean pay(int id) {
            return testLocks.isHeld("order:" + id);
        }

        @DistributedLock(key = "'order:' + #id")
        void payAndLose(int id) {
            testLocks.lose("order:" + id);
        }
    }

    @SpringBootConfiguration
    @EnableAutoConfiguration
    @Import(Orders.class)
    static class Shop {}

    /** Settings of production, which would need servers. */
    @Nested
    @SpringBootTest(
            classes = Shop.class,
            webEnvironment = WebEnvironment.NONE,
            properties = {"holdfast.quorum.nodes=a.invalid:1,b.invalid:1,c.invalid:1", "holdfast.fail-fast=true"})
    @AutoConfigureTestLocks
    @TestMethodOrder(MethodOrderer.OrderAnnotation.class)
    class WholeApplication {

        @Autowired
        Orders orders;

        @Autowired
        TestLocks testLocks;

        @Autowired
        LockTemplate locks;

        @Autowired
        ApplicationContext context;

        @Test
        void annotated_method_holds_its_lock() {
            assertThat(orders.pay(42)).isTrue();
            assertThat(testLocks.heldKeys()).isEmpty();
        }

        @Test
        void store_is_the_only_one() {
            assertThat(context.getBeanNamesForType(LockStore.class)).containsExactly("holdfastTestLockStore");
        }

        @Test
        @Order(1)
        void annotated_method_is_refused_at_once_while_its_lock_is_held_elsewhere() {
            testLocks.holdElsewhere("order:42");
            assertThatThrownBy(() -> orders.pay(42)).isInstanceOf(LockNotAcquiredException.class);
        }

        @Test
        @Order(2)
        void simulation_of_an_earlier_test_has_ended() {
            assertThat(orders.pay(42)).isTrue();
        }

        @Test
        @Order(3)
        void annotated_method_fails_in_an_outage() {
            testLocks.failStore();
            assertThatThrownBy(() -> orders.pay(42)).isInstanceOf(LockStoreException.class);
        }

        @Test
        @Order(4)
        void lock_may_be_left_held() {
            assertThat(orders.pay(42)).isTrue();
            locks.acquire("order:42").detach();
        }

        @Test
        @Order(5)
        void lock_of_an_earlier_test_is_free() {
            assertThat(orders.pay(42)).isTrue();
        }

        @Test
        void annotated_method_whose_lock_is_lost_fails() {
            assertThatThrownBy(() -> orders.payAndLose(42)).isInstanceOf(LockLostException.class);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnStore {
        @Bean
        LockStore lockStore() {
            return new InMemoryLockStore();
        }
    }

    @Nested
    @SpringBootTest(
            classes = {Shop.class, OwnStore.class},
            webEnvironment = WebEnvironment.NONE)
    @AutoConfigureTestLocks
    class ApplicationWithAStoreOfItsOwn {

        @Test
        void locks_of_the_test_are_in_force(@Autowired Orders orders) {
            assertThat(orders.pay(42)).isTrue();
        }
    }

    static class Outbox {

        @LeaderOnly("outbox")
        public Boolean send() {
            return true;
        }

        @LeaderOnly("prices")
        public void update() {}
    }

    @Nested
    @SpringBootTest(
            classes = {Shop.class, Outbox.class},
            webEnvironment = WebEnvironment.NONE,
            properties = "holdfast.leadership.roles.prices.key=price-list")
    @AutoConfigureTestLocks
    @ExtendWith(OutputCaptureExtension.class)
    class ApplicationWithLeaderRoles {

        @Autowired
        TestLocks testLocks;

        @Autowired
        LeaderElection election;

        @Autowired
        LockTemplate locks;

        @BeforeEach
        void leads() {
            Awaitility.await().until(() -> testLocks.leaderKeys().equals(List.of("leader:outbox", "price-list")));
            Awaitility.await().until(() -> election.roles().stream().allMatch(Leadership::isLeader));
        }

        @Test
        void locks_of_roles_are_listed_apart() {
            try (LockHandle order = locks.acquire("order:42")) {
                assertThat(order.isHeld()).isTrue();
                assertThat(testLocks.heldKeys()).containsExactly("order:42");
                assertThat(testLocks.isHeld("leader:outbox")).isTrue();
            }
            assertThat(testLocks.heldKeys()).isEmpty();
        }

        @Test
        void reset_leaves_terms_as_they_are_and_logs_nothing(@Autowired Outbox outbox, CapturedOutput output) {
            List<Optional<Term>> terms =
                    election.roles().stream().map(Leadership::term).toList();

            testLocks.reset();
            testLocks.reset();

            assertThat(election.roles()).extracting(Leadership::term).isEqualTo(terms);
            assertThat(outbox.send()).isTrue();
            assertThat(testLocks.leaderKeys()).containsExactly("leader:outbox", "price-list");
            assertThat(output).doesNotContain("WARN");
        }
    }
}
