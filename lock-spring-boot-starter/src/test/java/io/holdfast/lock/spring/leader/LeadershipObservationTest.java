package io.holdfast.lock.spring.leader;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.holdfast.lock.leader.LeaderElection;
import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.WebApplication;
import io.holdfast.lock.spring.annotation.LeaderOnly;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What operators see of leadership. */
@Timeout(120)
class LeadershipObservationTest {

    static class Reports {
        @LeaderOnly("${role}")
        public void send() {}
    }

    private final String role = "role-" + UUID.randomUUID();

    @Test
    void terms_are_counted_and_timed_by_role() {
        MeterRegistry meters = new SimpleMeterRegistry();
        Runners.inMemory()
                .withBean(MeterRegistry.class, () -> meters)
                .withPropertyValues("role=" + role)
                .withBean(Reports.class)
                .run(context -> {
                    Leadership leadership =
                            context.getBean(LeaderElection.class).of(role);
                    Awaitility.await().until(() -> gauge(meters) == 1);
                    Awaitility.await().until(() -> elections(meters) == 1);
                    leadership.resign();
                    Awaitility.await().until(() -> elections(meters) == 2);
                    assertThat(meters.get("holdfast.leadership.term")
                                    .tag("role", role)
                                    .timer()
                                    .count())
                            .isEqualTo(1);
                    context.getSourceApplicationContext().close();
                    assertThat(gauge(meters)).isZero();
                });
    }

    @Test
    void terms_of_a_role_that_the_application_joins_by_itself_are_counted() {
        MeterRegistry meters = new SimpleMeterRegistry();
        Runners.inMemory().withBean(MeterRegistry.class, () -> meters).run(context -> {
            Leadership leadership = context.getBean(LeaderElection.class).join(role);
            assertThat(gauge(meters)).isZero();
            context.getBean(LeaderElection.class).start();
            Awaitility.await().until(leadership::isLeader);
            assertThat(gauge(meters)).isEqualTo(1);
            Awaitility.await().until(() -> elections(meters) == 1);
        });
    }

    @Test
    void role_that_is_not_enabled_here_has_no_meters() {
        MeterRegistry meters = new SimpleMeterRegistry();
        Runners.inMemory()
                .withBean(MeterRegistry.class, () -> meters)
                .withPropertyValues("role=" + role, "holdfast.leadership.enabled=false")
                .withBean(Reports.class)
                .run(context -> {
                    assertThat(context.getBean(LeaderRoles.class).known())
                            .extracting(Leadership::role)
                            .containsExactly(role);
                    assertThat(meters.getMeters())
                            .extracting(meter -> meter.getId().getName())
                            .noneMatch(name -> name.startsWith("holdfast.leadership"));
                });
    }

    private double gauge(MeterRegistry meters) {
        return meters.get("holdfast.leadership.leader")
                .tag("role", role)
                .gauge()
                .value();
    }

    private double elections(MeterRegistry meters) {
        return meters.get("holdfast.leadership.elections")
                .tag("role", role)
                .counter()
                .count();
    }

    @Test
    void endpoint_and_health_tell_who_leads() {
        try (WebApplication application = WebApplication.start(
                Reports.class,
                "role=" + role,
                "management.endpoints.web.exposure.include=locks,health",
                "management.endpoint.health.show-details=always")) {
            Leadership leadership = application.bean(LeaderElection.class).of(role);
            Awaitility.await().until(leadership::isLeader);
            long token = leadership.term().orElseThrow().fencingToken();

            Map<String, Object> reported =
                    first(application.get("/actuator/locks").body());
            assertThat(reported)
                    .containsEntry("role", role)
                    .containsEntry("candidate", true)
                    .containsEntry("leader", true)
                    .containsEntry("fencingToken", token)
                    .containsEntry(
                            "leaderHost", leadership.leader().orElseThrow().host())
                    .containsEntry("leaderPid", (int) ProcessHandle.current().pid())
                    .containsEntry(
                            "leaderClientId", leadership.leader().orElseThrow().clientId())
                    .containsKey("since");
            Map<String, Object> health = JsonPath.read(
                    application.get("/actuator/health").body(),
                    "$.components.locks.details.leadership['" + role + "']");
            assertThat(health)
                    .containsEntry("candidate", true)
                    .containsEntry("leader", true)
                    .containsEntry("fencingToken", token);

            application.bean(LeaderElection.class).stop().join();
            assertThat(first(application.get("/actuator/locks").body())).containsEntry("leader", false);
            String down = application.get("/actuator/health").body();
            assertThat(JsonPath.<String>read(down, "$.components.locks.status")).isEqualTo("UP");
            assertThat(JsonPath.<Boolean>read(down, "$.components.locks.details.leadership['" + role + "'].leader"))
                    .isFalse();
        }
    }

    @Test
    void endpoint_and_health_tell_that_a_role_is_not_enabled_here() {
        try (WebApplication application = WebApplication.start(
                Reports.class,
                "role=" + role,
                "holdfast.leadership.enabled=false",
                "management.endpoints.web.exposure.include=locks,health",
                "management.endpoint.health.show-details=always")) {
            assertThat(first(application.get("/actuator/locks").body()))
                    .containsEntry("role", role)
                    .containsEntry("candidate", false)
                    .containsEntry("leader", false);
            Map<String, Object> health = JsonPath.read(
                    application.get("/actuator/health").body(),
                    "$.components.locks.details.leadership['" + role + "']");
            assertThat(health).containsEntry("candidate", false).containsEntry("leader", false);
        }
    }

    private static Map<String, Object> first(String body) {
        List<Map<String, Object>> all = JsonPath.read(body, "$.leadership");
        assertThat(all).hasSize(1);
        return all.get(0);
    }
}
