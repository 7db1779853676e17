package io.holdfast.lock.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.testing.NewThread;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.aggregator.AggregatingMessageHandler;
import org.springframework.integration.aggregator.DefaultAggregatingMessageGroupProcessor;
import org.springframework.integration.channel.QueueChannel;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.integration.util.UUIDConverter;
import org.springframework.messaging.Message;

/** What Spring Integration does with a registry. */
@Timeout(60)
class SpringIntegrationTest {

    /** Short, since a loss is noticed at the next renewal, after a third of it. */
    private static final Duration LEASE = Duration.ofSeconds(6);

    private static final String ROLE = "leader:scheduler";

    private final InMemoryLockStore store = new InMemoryLockStore();
    private final LockEngine locks = LockEngine.builder(store).build();
    private final LockEngine others = LockEngine.builder(store).build();

    @AfterEach
    void close() {
        locks.close();
        others.close();
    }

    /** Counts the terms of office. */
    private static final class Node extends DefaultCandidate {

        final AtomicInteger granted = new AtomicInteger();
        final AtomicInteger revoked = new AtomicInteger();

        Node(String id) {
            super(id, "scheduler");
        }

        @Override
        public void onGranted(Context context) {
            granted.incrementAndGet();
        }

        @Override
        public void onRevoked(Context context) {
            revoked.incrementAndGet();
        }
    }

    private static LockRegistryLeaderInitiator start(LockEngine client, Node node) {
        var initiator = new LockRegistryLeaderInitiator(new HoldfastLockRegistry(client, "leader", LEASE), node);
        initiator.setHeartBeatMillis(10);
        initiator.setBusyWaitMillis(10);
        initiator.start();
        return initiator;
    }

    @Test
    void one_instance_is_leader_and_another_succeeds_it() throws Exception {
        Node first = new Node("first");
        Node second = new Node("second");
        LockRegistryLeaderInitiator leading = start(locks, first);
        Awaitility.await().untilAtomic(first.granted, org.hamcrest.Matchers.is(1));
        LockRegistryLeaderInitiator following = start(others, second);
        Awaitility.await().until(() -> locks.inspect(ROLE).waiters() == 1);
        assertThat(second.granted).hasValue(0);

        leading.stop();
        Awaitility.await().untilAtomic(second.granted, org.hamcrest.Matchers.is(1));
        Awaitility.await().untilAtomic(first.revoked, org.hamcrest.Matchers.is(1));
        following.destroy();
        leading.destroy();
    }

    @Test
    void leader_that_loses_its_lock_steps_down_and_stands_again() throws Exception {
        Node node = new Node("only");
        LockRegistryLeaderInitiator initiator = start(locks, node);
        Awaitility.await().untilAtomic(node.granted, org.hamcrest.Matchers.is(1));

        others.forceRelease(ROLE);

        Awaitility.await().untilAtomic(node.granted, org.hamcrest.Matchers.is(2));
        assertThat(node.revoked).hasValue(1);
        initiator.destroy();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableIntegration
    static class Integration {}

    @Test
    void aggregator_waits_while_another_node_works_on_its_group() {
        var context = new AnnotationConfigApplicationContext(Integration.class);
        QueueChannel output = new QueueChannel();
        AggregatingMessageHandler aggregator =
                new AggregatingMessageHandler(new DefaultAggregatingMessageGroupProcessor());
        aggregator.setLockRegistry(new HoldfastLockRegistry(locks, "groups"));
        aggregator.setOutputChannel(output);
        aggregator.setBeanFactory(context.getBeanFactory());
        aggregator.afterPropertiesSet();
        String key = "groups:" + UUIDConverter.getUUID("basket");
        var elsewhere = others.acquire(key);
        CompletableFuture<Void> first = NewThread.start(() -> handle(aggregator, 1));
        Awaitility.await().until(() -> locks.inspect(key).waiters() == 1);
        assertThat(first).isNotDone();

        elsewhere.close();
        assertThat(first).succeedsWithin(Duration.ofSeconds(30));
        handle(aggregator, 2);

        Message<?> whole = output.receive(0);
        assertThat(whole).isNotNull();
        assertThat(whole.getPayload())
                .asInstanceOf(org.assertj.core.api.InstanceOfAssertFactories.LIST)
                .hasSize(2);
        assertThat(locks.inspect(key).holders()).isEmpty();
        context.close();
    }

    private static Void handle(AggregatingMessageHandler aggregator, int number) {
        aggregator.handleMessage(MessageBuilder.withPayload(number)
                .setCorrelationId("basket")
                .setSequenceNumber(number)
                .setSequenceSize(2)
                .build());
        return null;
    }

    @Configuration(proxyBeanMethods = false)
    static class OneBean {
        @Bean
        HoldfastLockRegistry lockRegistry(LockTemplate locks) {
            return new HoldfastLockRegistry(locks, "orders");
        }
    }

    @Test
    void application_declares_one_bean() {
        Runners.inMemory()
                .withUserConfiguration(OneBean.class)
                .run(context ->
                        assertThat(context).getBean(LockRegistry.class).isInstanceOf(HoldfastLockRegistry.class));
    }

    @Test
    void application_without_spring_integration_works() {
        Runners.inMemory()
                .withClassLoader(new FilteredClassLoader("org.springframework.integration"))
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(LockTemplate.class));
    }
}
