package io.holdfast.lock.spring.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.spring.Bystander;
import io.holdfast.lock.spring.WebApplication;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The key that the endpoint shows for a lock is the key that releases this lock, and no other. */
@Timeout(240)
class EndpointKeysTest {

    static class Nothing {}

    private static final String[] OPERATORS = {
        "management.endpoints.web.exposure.include=locks",
        "management.endpoint.locks.show-keys=always",
        "management.endpoint.locks.access=unrestricted"
    };

    private static WebApplication application;
    private static WebApplication masking;
    private static final Map<String, LockHandle> HELD = new HashMap<>();
    private static final Map<String, LockHandle> OTHERS = new HashMap<>();
    private static Bystander bystander;

    @BeforeAll
    static void start() {
        application = WebApplication.start(Nothing.class, OPERATORS);
        masking = WebApplication.start(
                Nothing.class,
                Stream.concat(Stream.of(OPERATORS), Stream.of("holdfast.mask-keys=true"))
                        .toArray(String[]::new));
        bystander = new Bystander();
        keys().forEach(
                        key -> { // all of them now, because the endpoint shows each scan for some seconds
                            HELD.put(key, bystander.locks().acquire("keys:" + key));
                            OTHERS.put(key, bystander.locks().acquire(lookalike("keys:" + key)));
                        });
    }

    private static String lookalike(String name) {
        String printable = LockKey.printable(name);
        return printable.equals(name) ? name + "_" : printable;
    }

    @AfterAll
    static void stop() {
        bystander.close();
        masking.close();
        application.close();
    }

    /** What the endpoint shows of a lock, found by its token. */
    private static String shown(WebApplication of, LockHandle held, String field) {
        String path = "$.locks[?(@.lastFencingToken == " + held.fencingToken() + ")]." + field;
        return Awaitility.await()
                .until(
                        () -> JsonPath.<List<String>>read(
                                of.get("/actuator/locks?scope=all&size=1000").body(), path),
                        found -> !found.isEmpty())
                .get(0);
    }

    private static HttpResponse<String> release(WebApplication by, String key) {
        return by.delete("/actuator/locks/-?exactKey=" + URLEncoder.encode(key, StandardCharsets.UTF_8));
    }

    static Stream<String> keys() {
        return Stream.of(
                "order:42\n",
                "order:42\r\nX-Forged: yes",
                "tab\there",
                "soft\u00adhyphen",
                "right\u202eto\u2066left",
                "zero\u200bwidth\ufeff",
                "\u001b[31mred\u009b0m",
                "quotes \" and ' and `",
                "100%",
                "a%0Ab%7Bc%7D",
                "back\\slash\\u000a",
                "/slashes//in/../it/",
                "a+b c&d=e?f#g;h",
                "{braces}",
                "emoji \ud83d\udd12 and \u9375",
                "separator\u2028\u2029",
                " blanks around ",
                "******",
                "sha256:0123456789abcdef",
                "<script>alert(1)</script>",
                "k".repeat(1_000),
                "\u00e9".repeat(500) + "x");
    }

    @ParameterizedTest
    @MethodSource("keys")
    void key_that_is_shown_releases_its_lock_and_no_other(String key) {
        String name = "keys:" + key;
        LockHandle held = HELD.get(key);
        LockHandle other = OTHERS.get(key);

        HttpResponse<String> answer = release(application, shown(application, held, "key"));

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(JsonPath.<List<Long>>read(answer.body(), "$.released[*].fencingToken"))
                .containsExactly(held.fencingToken());
        assertThat(JsonPath.<String>read(answer.body(), "$.key")).isEqualTo(name);
        assertThat(bystander.locks().inspect(name).isHeld()).isFalse();
        assertThat(other.isHeld()).isTrue();
        other.close();
    }

    @Test
    void masked_key_is_never_shown_and_its_hash_releases_nothing() {
        try (LockHandle held = bystander.locks().acquire("keys:jane@example.com\n")) {
            String shown = shown(masking, held, "key");

            assertThat(shown).matches("sha256:[0-9a-f]{16}");
            assertThat(masking.get("/actuator/locks?scope=all&key=jane").body()).contains("\"total\":0");
            HttpResponse<String> answer = release(masking, shown);
            assertThat(JsonPath.<List<Object>>read(answer.body(), "$.released")).isEmpty();
            held.ensureHeld();
        }
    }

    @Test
    void lock_is_filtered_by_the_key_that_is_shown() {
        try (LockHandle held = bystander.locks().acquire("keys\tfilter:1");
                LockHandle other = bystander.locks().acquire("keys\\u0009filter:1")) {
            shown(application, other, "key");
            for (String query : List.of("&name=keys%09filter", "&key=%09filter")) {
                assertThat(JsonPath.<List<Long>>read(
                                application
                                        .get("/actuator/locks?scope=all" + query)
                                        .body(),
                                "$.locks[*].lastFencingToken"))
                        .containsExactly(held.fencingToken());
            }
        }
    }

    @Test
    void events_and_waits_have_the_key_too() {
        LockHandle held = bystander.locks().acquire("keys:event\n");
        shown(application, held, "key");
        release(application, "keys:event\n");

        assertThat(JsonPath.<List<String>>read(
                        application.get("/actuator/locks?scope=all").body(),
                        "$.events[?(@.fencingToken == " + held.fencingToken() + ")].key"))
                .containsExactly("keys:event\n");
    }
}
