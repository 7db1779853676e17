package io.holdfast.lock.spring.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.jayway.jsonpath.JsonPath;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.WebApplication;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import io.holdfast.lock.spring.jobs.Jobs;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.scheduling.annotation.Scheduled;

/** Jobs of {@code /actuator/locks}: over HTTP, on a real Redis, and over JMX. */
@Timeout(120)
class JobsEndpointTest {

    private static final String EXPOSED = "management.endpoints.web.exposure.include=locks";
    private static final String WRITABLE = "management.endpoint.locks.access=unrestricted";

    private static final AtomicReference<String> SHOWN_DURING_RUN = new AtomicReference<>("");

    static class Reports {
        @Scheduled(cron = "0 0 3 * * *", zone = "Europe/Berlin")
        @OnOneInstance(name = "endpoint-report")
        public void report() {
            SHOWN_DURING_RUN.set(body(operators));
        }

        @Scheduled(fixedRate = 1_000)
        @OnOneInstance(name = "endpoint-mail")
        public void mail() {
            throw new IllegalArgumentException("no such user: jane@example.com");
        }
    }

    private static WebApplication readers;
    private static WebApplication operators;

    @BeforeAll
    static void start() {
        readers = WebApplication.start(Reports.class, EXPOSED, "management.endpoint.locks.show-data=always");
        operators = WebApplication.start(Reports.class, EXPOSED, WRITABLE);
    }

    @AfterAll
    static void stop() {
        operators.close();
        readers.close();
    }

    @AfterEach
    void resumeAll() {
        operators.bean(Jobs.class).resume("endpoint-report");
        operators.bean(LocksEndpoint.class).jobs().forget();
        readers.bean(LocksEndpoint.class).jobs().forget();
    }

    private static String body(WebApplication application) {
        HttpResponse<String> answer = application.get("/actuator/locks?scope=jobs");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return answer.body();
    }

    private static HttpResponse<String> pause(WebApplication application, String job, boolean paused) {
        return application.post("/actuator/locks", "{\"job\": \"" + job + "\", \"paused\": " + paused + "}");
    }

    private static <T> T read(String json, String job, String path) {
        return JsonPath.<List<T>>read(json, "$.jobs[?(@.name == '" + job + "')]" + path)
                .get(0);
    }

    @Test
    void jobs_are_listed_with_their_schedule_and_their_runs() {
        operators.bean(Reports.class).report();
        operators.bean(LocksEndpoint.class).jobs().forget(); // what was shown during the run

        String json = body(operators);

        String job = "endpoint-report";
        assertThat(JsonPath.<List<String>>read(json, "$.jobs[*].name")).containsExactly("endpoint-mail", job);
        assertThat(JsonPath.<List<Object>>read(json, "$.jobs[1].runs")).hasSize(1);
        assertThat(JobsEndpointTest.<String>read(json, job, ".method")).isEqualTo("Reports.report");
        assertThat(JobsEndpointTest.<String>read(json, job, ".schedule")).isEqualTo("cron 0 0 3 * * * (Europe/Berlin)");
        assertThat(Instant.parse(read(json, job, ".nextFireTime"))).isAfter(Instant.now());
        assertThat(JobsEndpointTest.<Boolean>read(json, job, ".paused")).isFalse();
        Map<String, Object> run = read(json, job, ".runs[0]");
        assertThat(run)
                .containsOnlyKeys("fireTime", "attempt", "outcome", "start", "end", "fencingToken", "instance")
                .containsEntry("attempt", 1)
                .containsEntry("outcome", "SUCCEEDED");
        assertThat(Instant.parse((String) run.get("fireTime"))).isBefore(Instant.now());
        assertThat(Duration.between(Instant.parse((String) run.get("start")), Instant.parse((String) run.get("end"))))
                .isLessThan(Duration.ofMinutes(1));
        Map<String, Object> during = read(SHOWN_DURING_RUN.get(), job, ".runs[0]");
        assertThat(during)
                .containsEntry("outcome", "RUNNING")
                .containsEntry("instance", run.get("instance"))
                .doesNotContainKey("end");
    }

    @Test
    void message_of_a_failure_is_shown_to_those_who_may_see_data() {
        assertThatThrownBy(() -> operators.bean(Reports.class).mail()).hasMessageContaining("jane");

        assertThat(JobsEndpointTest.<String>read(body(readers), "endpoint-mail", ".runs[0].failure"))
                .isEqualTo("IllegalArgumentException: no such user: jane@example.com");
        assertThat(JobsEndpointTest.<String>read(body(operators), "endpoint-mail", ".runs[0].failure"))
                .isEqualTo("IllegalArgumentException");
    }

    @Test
    void job_is_paused_and_resumed_for_all_instances() {
        HttpResponse<String> answer = pause(operators, "endpoint-report", true);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(JsonPath.<Boolean>read(answer.body(), "$.paused")).isTrue();
        assertThat(JsonPath.<String>read(answer.body(), "$.name")).isEqualTo("endpoint-report");
        assertThat(readers.bean(Jobs.class).get("endpoint-report").paused()).isTrue();
        assertThat(JobsEndpointTest.<Boolean>read(body(readers), "endpoint-report", ".paused"))
                .isTrue();
        assertThat(JsonPath.<Boolean>read(
                        pause(operators, "endpoint-report", false).body(), "$.paused"))
                .isFalse();
        assertThat(readers.bean(Jobs.class).get("endpoint-report").paused()).isFalse();
    }

    @Test
    void pause_is_shown_at_once_though_the_list_is_shared() {
        assertThat(JobsEndpointTest.<Boolean>read(body(operators), "endpoint-report", ".paused"))
                .isFalse();
        pause(operators, "endpoint-report", true);

        assertThat(JobsEndpointTest.<Boolean>read(body(operators), "endpoint-report", ".paused"))
                .isTrue();
    }

    @Test
    void nothing_is_paused_unless_that_is_granted() {
        assertThat(pause(readers, "endpoint-report", true).statusCode()).isEqualTo(405);
        assertThat(readers.bean(Jobs.class).get("endpoint-report").paused()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "{\"job\": \"endpoint-report\"}",
                "{\"paused\": true}",
                "{\"job\": \"none\", \"paused\": true}"
            })
    void request_that_cannot_be_answered_changes_nothing(String json) {
        HttpResponse<String> answer = operators.post("/actuator/locks", json);

        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(400);
        assertThat(operators.bean(Jobs.class).list()).noneMatch(each -> each.paused());
    }

    @Test
    void job_that_does_not_exist_is_named_with_those_that_do() {
        assertThat(JsonPath.<String>read(pause(operators, "repot", true).body(), "$.error"))
                .contains("'repot'", "endpoint-report");
    }

    @Test
    void lock_that_something_else_uses_is_said() {
        LockRequest request = LockRequest.of("endpoint-other").withData(Duration.ofMinutes(10));
        operators.bean(LockTemplate.class).execute(request, lock -> {
            lock.saveData("cursor".getBytes(StandardCharsets.UTF_8));
        });
        try (WebApplication broken = WebApplication.start(Other.class, EXPOSED)) {
            HttpResponse<String> answer = broken.get("/actuator/locks?scope=jobs");

            assertThat(answer.statusCode()).isEqualTo(500);
            assertThat(JsonPath.<String>read(answer.body(), "$.error")).contains("endpoint-other", "cursor");
            assertThat(broken.get("/actuator/locks?scope=all").statusCode()).isEqualTo(200);
        }
    }

    static class Other {
        @Scheduled(fixedRate = 3_600_000)
        @OnOneInstance(name = "endpoint-other")
        public void run() {}
    }

    private static ApplicationContextRunner inMemory(String domain) {
        return Runners.inMemory()
                .withConfiguration(AutoConfigurations.of(
                        JmxAutoConfiguration.class,
                        EndpointAutoConfiguration.class,
                        JmxEndpointAutoConfiguration.class))
                .withPropertyValues(
                        "spring.jmx.enabled=true",
                        "management.endpoints.jmx.exposure.include=locks",
                        "management.endpoints.jmx.domain=" + domain)
                .withBean(Reports.class);
    }

    @Test
    void jobs_are_listed_and_paused_over_jmx() {
        String domain = "holdfast-" + UUID.randomUUID();
        inMemory(domain)
                .withPropertyValues("management.endpoint.locks.access=UNRESTRICTED")
                .run(context -> {
                    MBeanServer server = context.getBean(MBeanServer.class);
                    ObjectName name = new ObjectName(domain + ":type=Endpoint,name=Locks");
                    assertThatThrownBy(() -> context.getBean(Reports.class).mail())
                            .hasMessageContaining("jane");

                    assertThat(server.invoke(name, "pause", new Object[] {"endpoint-report", true}, new String[0]))
                            .asString()
                            .contains("endpoint-report", "paused=true");
                    assertThat(server.invoke(name, "jobs", new Object[0], new String[0]))
                            .asString()
                            .contains("paused=true", "paused=false", "IllegalArgumentException")
                            .doesNotContain("jane");
                });
    }

    @Test
    void jobs_are_only_listed_over_jmx_without_write_access() {
        String domain = "holdfast-" + UUID.randomUUID();
        inMemory(domain)
                .run(context -> assertThat(context.getBean(MBeanServer.class)
                                .getMBeanInfo(new ObjectName(domain + ":type=Endpoint,name=Locks"))
                                .getOperations())
                        .extracting(MBeanOperationInfo::getName)
                        .containsExactlyInAnyOrder("locks", "lock", "allLocks", "jobs"));
    }

    @Test
    void message_of_a_failure_is_never_shown_if_keys_are_masked() {
        inMemory("holdfast-" + UUID.randomUUID())
                .withPropertyValues("management.endpoint.locks.show-data=always", "holdfast.mask-keys=true")
                .run(context -> {
                    assertThatThrownBy(() -> context.getBean(Reports.class).mail())
                            .hasMessageContaining("jane");

                    assertThat(context.getBean(LocksReport.class).jobs().toString())
                            .contains("IllegalArgumentException")
                            .doesNotContain("jane");
                });
    }
}
