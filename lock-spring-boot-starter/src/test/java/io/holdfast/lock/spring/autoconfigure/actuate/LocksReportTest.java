package io.holdfast.lock.spring.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Bystander;
import io.holdfast.lock.spring.WebApplication;
import io.holdfast.lock.testing.NewThread;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.annotation.Configuration;

/** {@code /actuator/locks?scope=all} of a running application, over HTTP, on a real Redis that others use too. */
@Timeout(120)
class LocksReportTest {

    @Configuration(proxyBeanMethods = false)
    static class Empty {}

    private static WebApplication application;
    private static WebApplication secretive;
    private static Bystander bystander;

    @BeforeAll
    static void start() {
        String exposed = "management.endpoints.web.exposure.include=locks";
        application = WebApplication.start(Empty.class, exposed, "management.endpoint.locks.show-keys=always");
        secretive = WebApplication.start(Empty.class, exposed, "management.endpoint.locks.access=unrestricted");
        bystander = new Bystander();
    }

    @AfterAll
    static void stop() {
        bystander.close();
        secretive.close();
        application.close();
    }

    private static String body(WebApplication of, String query) {
        HttpResponse<String> answer = of.get("/actuator/locks?scope=all" + query);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    /** Of a scan that began after now. */
    private static String fresh(WebApplication of, String query) {
        Instant now = Instant.now();
        return Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> body(of, query), json -> time(json).isAfter(now.plusMillis(500)));
    }

    private static Instant time(String json) {
        return Instant.parse(JsonPath.<String>read(json, "$.time"));
    }

    @Test
    void lock_of_another_client_is_listed_with_holder_and_queue() {
        LockRequest request = LockRequest.of("all:order").waitFor(Duration.ofMinutes(1));
        LockTemplate locks = application.bean(LockTemplate.class);
        LockHandle held = bystander.locks().acquire("all:order");
        CompletableFuture<LockHandle> waiter =
                NewThread.start(() -> locks.acquire(request).detach());
        Awaitility.await().until(() -> locks.inspect("all:order").waiters() == 1);

        String json = fresh(application, "&name=all:order");

        assertThat(JsonPath.<Integer>read(json, "$.total")).isEqualTo(1);
        assertThat(JsonPath.<Boolean>read(json, "$.complete")).isTrue();
        assertThat(JsonPath.<String>read(json, "$.locks[0].key")).isEqualTo("all:order");
        assertThat(JsonPath.<Long>read(json, "$.locks[0].lastFencingToken")).isEqualTo(held.fencingToken());
        assertThat(JsonPath.<Long>read(json, "$.locks[0].holders[0].fencingToken"))
                .isEqualTo(held.fencingToken());
        assertThat(JsonPath.<String>read(json, "$.locks[0].holders[0].mode")).isEqualTo("EXCLUSIVE");
        assertThat(Duration.parse(JsonPath.<String>read(json, "$.locks[0].holders[0].remaining")))
                .isPositive();
        assertThat(JsonPath.<Integer>read(json, "$.locks[0].waiters")).isEqualTo(1);
        assertThat(JsonPath.<String>read(json, "$.locks[0].queue[0].clientId"))
                .isEqualTo(JsonPath.<String>read(json, "$.instance.clientId"))
                .isNotEqualTo(JsonPath.<String>read(json, "$.locks[0].holders[0].clientId"));
        assertThat(JsonPath.<Boolean>read(json, "$.locks[0].queue[0].fair")).isFalse();
        assertThat(JsonPath.<Boolean>read(json, "$.locks[0].queue[0].reserved")).isFalse();
        assertThat(JsonPath.<List<Object>>read(json, "$.deadlocks")).isEmpty();
        assertThat(JsonPath.<List<Object>>read(json, "$.nestedWaits")).isEmpty();
        held.close();
        waiter.join().close();
    }

    @Test
    void locks_are_filtered_and_come_in_pages() {
        List<LockHandle> held = List.of("pages:1", "pages:2", "pages:3", "pages").stream()
                .map(key -> bystander.locks().acquire(key))
                .toList();
        LockHandle other = bystander.locks().acquire("pagesx");

        String json = fresh(application, "&name=pages&size=3&page=1");

        assertThat(JsonPath.<Integer>read(json, "$.total")).isEqualTo(4);
        assertThat(JsonPath.<List<String>>read(json, "$.locks[*].key")).containsExactly("pages:3");
        assertThat(keys("&key=ges:2")).containsExactly("pages:2");
        assertThat(keys("&key=pages&minAge=PT1H")).isEmpty();
        assertThat(keys("&key=pages&minAge=0ms")).hasSize(5);
        assertThat(keys("&key=pages&client=nobody")).isEmpty();
        String client = JsonPath.read(body(application, "&name=pages"), "$.locks[0].holders[0].clientId");
        assertThat(keys("&key=pages&client=" + client.substring(3))).hasSize(5);
        assertThat(keys("&key=pages&name=&client=&minAge=&page=&size=")).hasSize(5);
        held.forEach(LockHandle::close);
        other.close();
    }

    private static List<String> keys(String query) {
        return JsonPath.read(body(application, query), "$.locks[*].key");
    }

    @Test
    void threads_behind_a_holder_of_the_same_instance_are_waiters() {
        LockRequest request = LockRequest.of("all:stuck").waitFor(Duration.ofMinutes(1));
        LockTemplate locks = application.bean(LockTemplate.class);
        LockHandle stuck = locks.acquire("all:stuck");
        List<CompletableFuture<String>> waiters = Stream.generate(
                        () -> NewThread.start(() -> locks.execute(request, () -> "done")))
                .limit(5)
                .toList();
        Awaitility.await().until(() -> locks.inspect("all:stuck").waiters() == 5);

        String json = fresh(application, "&name=all:stuck");
        String one = application.get("/actuator/locks/all:stuck").body();

        assertThat(JsonPath.<Integer>read(json, "$.locks[0].waiters")).isEqualTo(5);
        assertThat(Duration.parse(JsonPath.<String>read(json, "$.locks[0].longestWait")))
                .isPositive();
        assertThat(JsonPath.<Integer>read(one, "$.waiters")).isEqualTo(5);
        assertThat(Duration.parse(JsonPath.<String>read(one, "$.longestWait"))).isPositive();
        stuck.close();
        waiters.forEach(CompletableFuture::join);
    }

    @Test
    void hidden_keys_have_ids_and_cannot_be_searched() {
        try (LockHandle held = bystander.locks().acquire("all:jane@example.com")) {
            String hidden = fresh(secretive, "&name=all");
            String shown = fresh(application, "&name=all:jane@example.com");

            assertThat(hidden)
                    .contains("\"******\"", String.valueOf(held.fencingToken()))
                    .doesNotContain("jane");
            assertThat(JsonPath.<String>read(body(secretive, "&name=all"), "$.locks[0].id"))
                    .isEqualTo(JsonPath.<String>read(body(secretive, "&name=all"), "$.locks[0].id"))
                    .isNotEqualTo(JsonPath.<String>read(shown, "$.locks[0].id"));
        }
        HttpResponse<String> answer = secretive.get("/actuator/locks?scope=all&key=jane");
        assertThat(answer.statusCode()).isEqualTo(403);
        assertThat(JsonPath.<String>read(answer.body(), "$.error")).contains("show-keys");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "page=2147483647&size=1000",
                "minAge=36500d",
                "minAge=PT0S",
                "name=%00&key=%00&client=%00",
                "other=1"
            })
    void request_at_the_limits_is_answered(String query) {
        assertThat(JsonPath.<List<Object>>read(body(application, "&name=limits&" + query), "$.locks"))
                .isEmpty();
    }

    @Test
    void health_of_renewals_and_the_time_of_a_call_are_shown() {
        String json = fresh(application, "");

        assertThat(JsonPath.<Integer>read(json, "$.lateRenewals")).isZero();
        assertThat(Duration.parse(JsonPath.<String>read(json, "$.responseTime")))
                .isBetween(Duration.ZERO, Duration.ofMinutes(1));
    }

    @Test
    void lock_that_is_kept_after_its_release_says_so() {
        bystander
                .locks()
                .acquire(LockRequest.of("all:kept").minHold(Duration.ofMinutes(1)))
                .close();
        try (LockHandle held = bystander.locks().acquire("all:open")) {
            String json = fresh(application, "&name=all");

            assertThat(JsonPath.<List<Boolean>>read(json, "$.locks[?(@.key == 'all:kept')].holders[0].keptByMinHold"))
                    .containsExactly(true);
            assertThat(JsonPath.<List<Boolean>>read(json, "$.locks[?(@.key == 'all:open')].holders[0].keptByMinHold"))
                    .containsExactly(false);
            held.ensureHeld();
        }
        bystander.locks().forceRelease("all:kept");
    }

    @Test
    void one_scan_serves_all_who_look() {
        String first = fresh(application, "");

        Awaitility.await()
                .until(
                        () -> { // a scan is shared for two seconds
                            String scan = fresh(application, "");
                            return time(body(application, "&name=other")).equals(time(scan));
                        });
        assertThat(time(fresh(application, ""))).isAfter(time(first).plusMillis(999));
    }

    @Test
    void forced_release_is_among_the_events_of_the_instance() {
        LockHandle held = bystander.locks().acquire("all:forced");
        secretive.delete("/actuator/locks/all:forced");
        held.isHeld();

        String json = body(secretive, "");

        assertThat(JsonPath.<String>read(json, "$.events[0].type")).isEqualTo("FORCE_RELEASED");
        assertThat(JsonPath.<Long>read(json, "$.events[0].fencingToken")).isEqualTo(held.fencingToken());
        assertThat(JsonPath.<String>read(json, "$.events[0].key")).isEqualTo("******");
        assertThat(JsonPath.<String>read(json, "$.events[0].thread"))
                .isEqualTo(Thread.currentThread().getName());
        assertThat(json).doesNotContain("\"cause\"");
        assertThat(JsonPath.<List<Object>>read(body(application, ""), "$.events"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "all&size=0",
                "all&size=1001",
                "all&size=-1",
                "all&size=99999999999",
                "all&size=NaN",
                "all&size=1.5",
                "all&page=-1",
                "all&page=x",
                "all&page=2147483648",
                "all&page=%20",
                "all&minAge=soon",
                "all&minAge=NaN",
                "all&minAge=%20",
                "all&minAge=-1s",
                "all&minAge=PT-0.001S",
                "all&minAge=36501d",
                "all&minAge=999999999999d",
                "all&minAge=9223372036854775807s",
                "all&minAge=9223372036854775808s",
                "all&minAge=PT2562047788015215H",
                "all&minAge=P106751991167300D",
                "ALL",
                "some",
                "%20",
                ""
            })
    void request_that_cannot_be_answered_says_why(String query) {
        HttpResponse<String> answer = application.get("/actuator/locks?scope=" + query);

        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(JsonPath.<String>read(answer.body(), "$.error")).isNotBlank();
    }
}
