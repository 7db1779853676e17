package io.holdfast.lock.sample.race;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.sample.SampleInstance;
import io.holdfast.lock.sample.SampleInstance.Answer;
import io.holdfast.lock.testing.RedisServerProcess;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;

class RaceTest {

    private static final int WORKERS = 2;
    /** Who thinks waits here until all workers of both instances have read. */
    private static volatile CountDownLatch allHaveRead = new CountDownLatch(0);

    @TempDir
    private static Path directory;

    private static RedisServerProcess redis;
    private static SampleInstance one;
    private static SampleInstance two;

    @BeforeAll
    static void start() {
        redis = RedisServerProcess.start();
        one = SampleInstance.start(directory, redis.port(), RaceTest::thinkingTogether);
        two = SampleInstance.start(directory, redis.port(), RaceTest::thinkingTogether);
    }

    @AfterAll
    static void stop() {
        two.close();
        one.close();
        redis.close();
    }

    private static void thinkingTogether(GenericApplicationContext context) {
        context.registerBean("thinkingTogether", Thinking.class, ThinkingTogether::new, bean -> bean.setPrimary(true));
    }

    private static final class ThinkingTogether extends Thinking {

        ThinkingTogether() {
            super(0);
        }

        @Override
        void pause() throws InterruptedException {
            allHaveRead.countDown();
            allHaveRead.await(20, TimeUnit.SECONDS);
        }
    }

    @Test
    void with_the_lock_two_instances_sell_every_item_exactly_once() {
        JsonNode race = race("items=200&locked=true&workers=4");

        assertThat(race.get("sold").asInt()).isEqualTo(200);
        assertThat(race.get("oversold").asInt()).isZero();
        assertThat(race.get("stockLeft").asInt()).isZero();
        assertThat(race.get("maxWaitMillis").asDouble()).isPositive();
    }

    @Test
    void without_the_lock_who_read_the_same_stock_sells_the_same_item() {
        allHaveRead = new CountDownLatch(2 * WORKERS);

        JsonNode race = race("items=20&locked=false&workers=" + WORKERS);

        assertThat(race.get("oversold").asInt())
                .as("the first four sales took one item off the stock")
                .isGreaterThanOrEqualTo(2 * WORKERS - 1);
        assertThat(race.get("sold").asInt()).isEqualTo(20 + race.get("oversold").asInt());
    }

    @Test
    void a_write_that_comes_after_the_lease_is_refused_by_its_token() {
        JsonNode race = race("items=200&locked=true&workers=2&pause=true");

        assertThat(race.get("refused").asInt()).isPositive();
        assertThat(race.get("sold").asInt()).isEqualTo(200);
        assertThat(race.get("oversold").asInt()).isZero();
        assertThat(sales(race).filter(sale -> sale.get("refused").asBoolean()))
                .hasSize(race.get("refused").asInt());
        assertThat(race.get("instances")).noneMatch(instance -> instance.has("failure"));
    }

    @Test
    void sales_are_listed_in_order_with_their_tokens() {
        JsonNode race = race("items=30&locked=true&workers=2");

        assertThat(sales(race).map(sale -> sale.get("item").asInt()))
                .as("from the last item of the stock to the first")
                .isSortedAccordingTo(Comparator.reverseOrder())
                .hasSize(30);
        assertThat(sales(race).map(sale -> sale.get("fencingToken").asLong()))
                .isSorted()
                .doesNotHaveDuplicates();
        long tenth = sales(race).skip(9).findFirst().orElseThrow().get("id").asLong();
        assertThat(two.get("/races/" + race.get("id") + "/sales?after=" + tenth).json())
                .hasSize(20);
    }

    private static Stream<JsonNode> sales(JsonNode race) {
        return one.get("/races/" + race.get("id") + "/sales").json().valueStream();
    }

    @Test
    void the_latest_races_and_the_live_instances_are_listed() {
        JsonNode race = race("items=3&locked=true&workers=1");

        assertThat(two.get("/races").json().get(0)).isEqualTo(race);
        assertThat(one.get("/races/instances").json()).hasSize(2);
    }

    @Test
    void a_race_is_told_as_json_by_any_instance() {
        JsonNode race = race("items=10&locked=true&workers=1");

        assertThat(race.propertyNames())
                .containsExactlyInAnyOrder(
                        "id",
                        "locked",
                        "pause",
                        "items",
                        "workers",
                        "state",
                        "sold",
                        "oversold",
                        "refused",
                        "stockLeft",
                        "meanWaitMillis",
                        "maxWaitMillis",
                        "durationMillis",
                        "instances");
        assertThat(race.get("state").asString()).isEqualTo("DONE");
        assertThat(race.get("instances")).hasSize(2);
        assertThat(race.get("instances").get(0).propertyNames())
                .containsExactlyInAnyOrder("instance", "state", "sold", "refused", "meanWaitMillis", "maxWaitMillis");
        assertThat(two.get("/races/" + race.get("id")).json()).isEqualTo(race);
    }

    @Test
    void a_second_race_at_the_same_time_is_refused() {
        try (LockHandle running = two.bean(LockTemplate.class).acquire("race")) {
            assertThat(one.post("/races").join().status()).isEqualTo(409);
            assertThat(running.isHeld()).isTrue();
        }
    }

    @Test
    void a_race_without_items_or_workers_is_refused() {
        assertThat(one.post("/races?items=0").join().text()).contains("items is 0; it must be between 1 and 100000");
        assertThat(one.post("/races?workers=17").join().status()).isEqualTo(400);
        assertThat(one.get("/races/987654").status()).isEqualTo(404);
    }

    @Test
    void an_instance_that_was_killed_long_ago_is_not_waited_for() {
        ghost("killed", "CURRENT_TIMESTAMP - INTERVAL '1' DAY");

        assertThat(race("items=5&workers=1").get("instances")).hasSize(2);
    }

    @Test
    void an_instance_that_does_not_respond_is_left_behind() {
        ghost("silent", "CURRENT_TIMESTAMP");

        JsonNode race = race("items=5&workers=1");

        assertThat(race.get("sold").asInt()).isEqualTo(5);
        assertThat(race.get("instances")
                        .valueStream()
                        .map(runner -> runner.get("state").asString()))
                .containsExactlyInAnyOrder("DONE", "DONE", "GONE");
    }

    private static void ghost(String id, String heartbeat) {
        one.bean(JdbcClient.class)
                .sql("INSERT INTO instance (id, name, port, heartbeat) VALUES ('" + id + "', '" + id + "', 1, "
                        + heartbeat + ")")
                .update();
    }

    private static JsonNode race(String settings) {
        try {
            Answer answer = one.post("/races?" + settings).join();
            assertThat(answer.status()).as(answer.text()).isEqualTo(200);
            return answer.json();
        } finally {
            one.bean(JdbcClient.class)
                    .sql("DELETE FROM instance WHERE id IN ('killed', 'silent')")
                    .update();
        }
    }
}
