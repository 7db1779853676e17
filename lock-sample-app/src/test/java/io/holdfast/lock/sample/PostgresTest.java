package io.holdfast.lock.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.RedisServerProcess;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

@Tag("full")
class PostgresTest {

    @Test
    void two_instances_share_a_shop_on_postgresql(@TempDir Path directory) throws Exception {
        try (EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                        .setPGStartupWait(Duration.ofMinutes(2))
                        .start();
                RedisServerProcess redis = RedisServerProcess.start();
                SampleInstance one = start(directory, redis, postgres);
                SampleInstance two = start(directory, redis, postgres)) {
            JsonNode order = one.post("/orders?product=2&quantity=3").join().json();
            String payment = "/orders/" + order.get("id") + "/payment";

            assertThat(order.get("amountCents").asInt()).isEqualTo(3 * 1950);
            assertThat(two.post(payment).join().json().get("charged").asBoolean())
                    .isTrue();
            assertThat(one.post(payment).join().json().get("charged").asBoolean())
                    .isFalse();
            JsonNode race = one.post("/races?items=60&workers=3").join().json();
            assertThat(race.get("instances")).hasSize(2);
            assertThat(race.get("sold").asInt()).isEqualTo(60);
        }
    }

    private static SampleInstance start(Path directory, RedisServerProcess redis, EmbeddedPostgres postgres) {
        return SampleInstance.start(
                directory,
                redis.port(),
                "--spring.profiles.active=postgres",
                "--spring.datasource.url=" + postgres.getJdbcUrl("postgres", "postgres"),
                "--spring.datasource.username=postgres",
                "--spring.datasource.password=postgres");
    }
}
