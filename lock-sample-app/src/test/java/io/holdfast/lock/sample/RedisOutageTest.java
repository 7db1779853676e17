package io.holdfast.lock.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.RedisServerProcess;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("full")
class RedisOutageTest {

    @Test
    void without_redis_nothing_is_done_and_the_answer_is_503(@TempDir Path directory) {
        try (RedisServerProcess redis = RedisServerProcess.start();
                SampleInstance shop = SampleInstance.start(directory, redis.port())) {
            String before = shop.get("/products").text();
            redis.kill();

            SampleInstance.Answer answer = shop.post("/orders?product=1").join();

            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.json().get("detail").asString()).contains("temporarily unavailable");
            assertThat(shop.get("/products").text()).isEqualTo(before);
            redis.startAgain();
        }
    }
}
