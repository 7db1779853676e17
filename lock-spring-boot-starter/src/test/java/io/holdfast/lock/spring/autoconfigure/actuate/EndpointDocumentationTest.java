package io.holdfast.lock.spring.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.leader.LeaderElection;
import io.holdfast.lock.spring.WebApplication;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.annotation.DistributedReadLock;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import io.holdfast.lock.testing.NewThread;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.scheduling.annotation.Scheduled;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** What the reference shows has the shape of what a running application answers. */
@Tag("full")
@Timeout(120)
class EndpointDocumentationTest {

    private static final Path REFERENCE = Path.of("../docs/reference/endpoint.md");
    private static final Pattern EXAMPLE = Pattern.compile("```json\n(.*?)```", Pattern.DOTALL);
    private static final JsonMapper JSON = new JsonMapper();
    private static final String KEY = "documented:42";

    static class Payments {
        @DistributedReadLock(name = "price-list")
        @DistributedLock(name = "order", key = "#id", lease = 10, waitFor = 2)
        public void pay(long id) {}

        @Scheduled(fixedRate = 1_000)
        @OnOneInstance(name = "documented-report")
        public void report() {
            throw new IllegalStateException("on purpose");
        }
    }

    private static WebApplication application;
    private static List<JsonNode> examples;

    @BeforeAll
    static void start() throws IOException {
        application = WebApplication.start(
                Payments.class,
                "holdfast.leadership.roles.outbox.key=documented-leader",
                "management.endpoints.web.exposure.include=locks,health",
                "management.endpoint.locks.access=unrestricted",
                "management.endpoint.health.show-details=always");
        examples = new ArrayList<>();
        Matcher matcher = EXAMPLE.matcher(Files.readString(REFERENCE));
        while (matcher.find()) {
            examples.add(JSON.readTree(matcher.group(1)));
        }
        assertThat(examples).hasSize(4);
    }

    @AfterAll
    static void stop() {
        application.close();
    }

    private static Set<String> shape(JsonNode node) {
        Set<String> shape = new TreeSet<>();
        collect(node, "$", shape);
        return shape;
    }

    private static void collect(JsonNode node, String path, Set<String> shape) {
        shape.add(path + " " + node.getNodeType());
        if (node.isObject()) {
            node.propertyStream().forEach(each -> collect(each.getValue(), path + "." + each.getKey(), shape));
        } else if (node.isArray()) {
            node.forEach(each -> collect(each, path + "[]", shape));
        }
    }

    private static JsonNode read(String json) {
        return JSON.readTree(json);
    }

    @Test
    void answers_about_locks_look_as_documented() {
        LockTemplate locks = application.bean(LockTemplate.class);
        LockHandle held = locks.acquire(LockRequest.of(KEY).name("order"));
        CompletableFuture<LockHandle> waiter = NewThread.start(
                () -> locks.acquire(LockRequest.of(KEY).name("order").waitFor(Duration.ofMinutes(1)))
                        .detach());
        Awaitility.await()
                .untilAsserted(() -> assertThat(
                                shape(read(application.get("/actuator/locks").body())))
                        .isEqualTo(shape(examples.get(0))));
        // Callers of one client stand in line, outside of the queue in Redis, unless their request is fair.
        CompletableFuture<Boolean> queued = NewThread.start(() -> {
            locks.acquire(LockRequest.of(KEY).fair(true).waitFor(Duration.ofMinutes(1)))
                    .close();
            return true;
        });
        Awaitility.await()
                .untilAsserted(() -> assertThat(shape(read(application
                                .get("/actuator/locks?scope=all&name=documented")
                                .body())))
                        .isEqualTo(shape(examples.get(1))));
        assertThat(shape(read(application.get("/actuator/locks/" + KEY).body())))
                .isEqualTo(shape(oneLock()));
        held.close();
        waiter.join();
        assertThat(queued).isNotCompletedExceptionally();

        JsonNode released = read(application.delete("/actuator/locks/" + KEY).body());
        assertThat(released.propertyNames()).containsExactlyInAnyOrder("key", "released");
        assertThat(shape(released.get("released"))).isEqualTo(shape(oneLock().get("holders")));
    }

    /** As the page has it: one of all locks, with less. */
    private static JsonNode oneLock() {
        ObjectNode lock = (ObjectNode) examples.get(1).get("locks").get(0).deepCopy();
        return lock.remove(List.of("id"));
    }

    @Test
    void jobs_look_as_documented() {
        assertThatThrownBy(() -> application.bean(Payments.class).report()).isInstanceOf(IllegalStateException.class);
        JsonNode documented = examples.get(2);

        assertThat(shape(read(application.get("/actuator/locks?scope=jobs").body())))
                .isEqualTo(shape(documented));
        assertThat(shape(read(application
                        .post("/actuator/locks", "{\"job\": \"documented-report\", \"paused\": false}")
                        .body())))
                .isEqualTo(shape(documented.get("jobs").get(0)));
    }

    @Test
    void health_looks_as_documented_and_has_warnings_only_if_there_are_any() {
        Awaitility.await().until(application.bean(LeaderElection.class).of("outbox")::isLeader);
        Set<String> documented = shape(examples.get(3));
        documented.removeIf(path -> path.startsWith("$.details.warnings"));

        // The subscription of a client that has just begun to hold a lock is down until Redis has confirmed it.
        Awaitility.await()
                .untilAsserted(() -> assertThat(
                                shape(read(application.get("/actuator/health").body())
                                        .get("components")
                                        .get("locks")))
                        .isEqualTo(documented));
    }
}
