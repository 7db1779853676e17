package io.holdfast.lock.sample.race;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.NewThread;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabase;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseBuilder;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;
import org.springframework.mock.env.MockEnvironment;

class InstancesTest {

    @RepeatedTest(20)
    void instance_registers_once_although_two_threads_begin_at_once() {
        EmbeddedDatabase database = new EmbeddedDatabaseBuilder()
                .generateUniqueName(true)
                .setType(EmbeddedDatabaseType.H2)
                .addScript("schema.sql")
                .build();
        try {
            Instances instances = new Instances(JdbcClient.create(database), new MockEnvironment());
            CountDownLatch both = new CountDownLatch(2);
            List<CompletableFuture<Boolean>> beats = Stream.of(1, 2)
                    .map(i -> NewThread.start(() -> {
                        both.countDown();
                        while (both.getCount() > 0) {
                            Thread.onSpinWait();
                        }
                        instances.beat();
                        return true;
                    }))
                    .toList();

            assertThat(beats).allMatch(CompletableFuture::join);
            assertThat(instances.alive()).hasSize(1);
        } finally {
            database.shutdown();
        }
    }
}
