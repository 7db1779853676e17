package io.holdfast.lock.spring.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Bystander;
import io.holdfast.lock.spring.WebApplication;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.testing.NewThread;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /actuator/locks} of a running application, over HTTP, on a real Redis. */
@Timeout(120)
class EndpointTest {

    static class Payments {

        @DistributedLock(name = "payment", key = "#id", lease = 10, waitFor = 2)
        public void pay(long id, String currency) {}

        @DistributedLock(key = "'all-payments'")
        public void payAll() {}
    }

    private static WebApplication application;
    private static WebApplication operators;

    @BeforeAll
    static void start() {
        application = WebApplication.start(
                Payments.class,
                "management.endpoints.web.exposure.include=locks",
                "management.endpoint.locks.show-keys=always");
        operators = WebApplication.start(
                Payments.class,
                "management.endpoints.web.exposure.include=locks",
                "management.endpoint.locks.access=unrestricted");
    }

    @AfterAll
    static void stop() {
        application.close();
        operators.close();
    }

    private static String body(String path) {
        HttpResponse<String> answer = application.get(path);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    private static LockHandle held(WebApplication by, String key) {
        return by.bean(LockTemplate.class).acquire(LockRequest.of(key).name("test"));
    }

    @Test
    void held_locks_are_listed() {
        try (LockHandle held = held(application, "endpoint:held")) {
            String json = body("/actuator/locks");

            String path = "$.held[?(@.key == 'endpoint:held')]";
            assertThat(JsonPath.<List<String>>read(json, path + ".name")).containsExactly("test");
            assertThat(JsonPath.<List<String>>read(json, path + ".mode")).containsExactly("EXCLUSIVE");
            assertThat(JsonPath.<List<Long>>read(json, path + ".fencingToken")).containsExactly(held.fencingToken());
            assertThat(JsonPath.<List<String>>read(json, path + ".thread"))
                    .containsExactly(Thread.currentThread().getName());
            assertThat(JsonPath.<List<String>>read(json, path + ".remaining"))
                    .allSatisfy(time -> assertThat(Duration.parse(time)).isPositive());
        }
        assertThat(body("/actuator/locks")).doesNotContain("endpoint:held");
    }

    @Test
    void lock_without_a_name_is_called_as_in_the_metrics() {
        LockTemplate locks = application.bean(LockTemplate.class);
        LockRequest request = LockRequest.of("endpoint:unnamed").waitFor(Duration.ofMinutes(1));
        LockHandle held = locks.acquire(request);
        CompletableFuture<LockHandle> waiter =
                NewThread.start(() -> locks.acquire(request).detach());
        String[] paths = {
            "$.held[?(@.key == 'endpoint:unnamed')].name", "$.waiting[?(@.key == 'endpoint:unnamed')].name"
        };
        Awaitility.await()
                .untilAsserted(() -> assertThat(Stream.of(paths)
                                .flatMap(path -> JsonPath.<List<String>>read(body("/actuator/locks"), path).stream())
                                .toList())
                        .containsExactly("none", "none"));
        held.close();
        waiter.join().close();
    }

    @Test
    void waiting_calls_are_listed() {
        LockTemplate locks = application.bean(LockTemplate.class);
        LockHandle held = held(application, "endpoint:wait");
        CompletableFuture<LockHandle> waiter = NewThread.start(() -> locks.acquire(
                        LockRequest.of("endpoint:wait").name("second").waitFor(Duration.ofMinutes(1)))
                .detach());
        String path = "$.waiting[?(@.key == 'endpoint:wait')].name";
        Awaitility.await()
                .untilAsserted(() -> assertThat(JsonPath.<List<String>>read(body("/actuator/locks"), path))
                        .containsExactly("second"));
        held.close();
        waiter.join().close();
    }

    @Test
    void data_of_a_lock_is_shown_by_its_size_and_age_and_not_by_its_content() {
        LockRequest request = LockRequest.of("endpoint:data").withData(Duration.ofMinutes(10));
        application.bean(LockTemplate.class).execute(request, lock -> {
            lock.saveData("confidential".getBytes(StandardCharsets.UTF_8));
        });

        String json = body("/actuator/locks/endpoint:data");

        assertThat(JsonPath.<Integer>read(json, "$.data.size")).isEqualTo(12);
        assertThat(Duration.parse(JsonPath.<String>read(json, "$.data.age"))).isLessThan(Duration.ofMinutes(10));
        assertThat(json).doesNotContain("confidential");
    }

    /** A duration or an instant with a finer fraction. */
    private static final Pattern BELOW_MILLIS = Pattern.compile("\"[^\"]*\\.\\d{4,}[SZ]\"");

    @Test
    void times_have_milliseconds_and_nothing_finer() {
        LockHandle held = held(application, "endpoint:times");
        CompletableFuture<LockHandle> waiter = NewThread.start(() -> application
                .bean(LockTemplate.class)
                .acquire(LockRequest.of("endpoint:times").waitFor(Duration.ofMinutes(1)))
                .detach());
        Awaitility.await()
                .until(
                        () -> JsonPath.<List<String>>read(
                                body("/actuator/locks"), "$.waiting[?(@.key == 'endpoint:times')].waitedFor"),
                        list -> !list.isEmpty());

        for (String path : List.of("/actuator/locks", "/actuator/locks?scope=all", "/actuator/locks/endpoint:times")) {
            assertThat(body(path)).contains("endpoint:times").doesNotContainPattern(BELOW_MILLIS);
        }

        held.close();
        waiter.join().close();
    }

    @Test
    void annotated_methods_are_listed() {
        String json = body("/actuator/locks");

        String pay = "$.definitions[?(@.method =~ /.*pay\\(.*/)]";
        assertThat(JsonPath.<List<String>>read(json, pay + ".method"))
                .containsExactly(Payments.class.getName() + ".pay(long, String)");
        assertThat(JsonPath.<List<String>>read(json, pay + ".name")).containsExactly("payment");
        assertThat(JsonPath.<List<String>>read(json, pay + ".keys[*]")).containsExactly("#id");
        assertThat(JsonPath.<List<String>>read(json, pay + ".lease")).containsExactly("PT10S");
        assertThat(JsonPath.<List<String>>read(json, pay + ".waitFor")).containsExactly("PT2S");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "endpoint:plain",
                "endpoint/with/slashes",
                "endpoint with blanks",
                "endpoint+plus&more=1,2",
                "endpoint{braces}%25",
                "endpöint–ünïcode–鍵",
                "endpoint?question#hash"
            })
    void one_lock_is_shown_as_the_store_sees_it(String key) {
        try (LockHandle held = held(application, key)) {
            String path = URLEncoder.encode(key, StandardCharsets.UTF_8)
                    .replace("+", "%20")
                    .replace("%2F", "/");
            String json = body("/actuator/locks/" + path);

            assertThat(JsonPath.<String>read(json, "$.key")).isEqualTo(key);
            assertThat(JsonPath.<Boolean>read(json, "$.held")).isTrue();
            assertThat(JsonPath.<Long>read(json, "$.holders[0].fencingToken")).isEqualTo(held.fencingToken());
            assertThat(JsonPath.<Integer>read(json, "$.holders[0].pid").longValue())
                    .isEqualTo(ProcessHandle.current().pid());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"a//b", "/a/", "a/../b", "a;b=c", "a,b", "-", "a\\b"})
    void key_that_a_path_cannot_carry_is_given_exactly(String key) {
        try (LockHandle held = held(application, key)) {
            String query = "?exactKey=" + URLEncoder.encode(key, StandardCharsets.UTF_8);

            assertThat(JsonPath.<Long>read(body("/actuator/locks/-" + query), "$.holders[0].fencingToken"))
                    .isEqualTo(held.fencingToken());
        }
    }

    @Test
    void lock_that_nobody_knows_is_not_held() {
        String json = body("/actuator/locks/endpoint:nobody");

        assertThat(JsonPath.<Boolean>read(json, "$.held")).isFalse();
        assertThat(JsonPath.<List<Object>>read(json, "$.holders")).isEmpty();
    }

    @Test
    void key_that_is_none_is_a_bad_request() {
        HttpResponse<String> answer = application.get("/actuator/locks/-?exactKey=%20");

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(JsonPath.<String>read(answer.body(), "$.error")).contains("blank");
    }

    @Test
    void nothing_is_released_unless_that_is_granted() {
        try (LockHandle held = held(application, "endpoint:safe")) {
            assertThat(application.delete("/actuator/locks/endpoint:safe").statusCode())
                    .isEqualTo(405);
            held.ensureHeld();
            assertThat(body("/actuator/locks/endpoint:safe")).contains("\"held\":true");
        }
    }

    @Test
    void lock_is_released_by_force_where_that_is_granted() {
        try (Bystander bystander = new Bystander()) {
            LockHandle held = bystander.locks().acquire("endpoint:forced");

            HttpResponse<String> answer = operators.delete("/actuator/locks/endpoint:forced");

            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(JsonPath.<Long>read(answer.body(), "$.released[0].fencingToken"))
                    .isEqualTo(held.fencingToken());
            assertThat(bystander.holderOf("endpoint:forced")).isEmpty();
        }
    }

    @Test
    void keys_are_hidden_on_demand() {
        try (LockHandle held = held(operators, "endpoint:jane@example.com")) {
            String json = operators.get("/actuator/locks").body();

            assertThat(json).contains("\"******\"").doesNotContain("jane");
            assertThat(operators
                            .get("/actuator/locks/endpoint:jane@example.com")
                            .body())
                    .contains(String.valueOf(held.fencingToken()));
        }
    }
}
