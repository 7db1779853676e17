package io.holdfast.lock.spring.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.memory.InMemoryLockStore;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.spring.autoconfigure.actuate.LocksDescriptors.Problem;
import io.holdfast.lock.spring.definition.LockOperationSource;
import io.holdfast.lock.testing.StoreSpy;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** When there is an endpoint, who sees what, and what it says when the store fails. */
class EndpointConditionTest {

    private static final String EXPOSED = "management.endpoints.web.exposure.include=locks";

    private final StoreSpy store = new StoreSpy(new InMemoryLockStore());
    private final ApplicationContextRunner application = Runners.starter().withBean(StoreSpy.class, () -> store);

    @Test
    void endpoint_is_there_if_it_is_exposed() {
        application
                .withPropertyValues(EXPOSED)
                .run(context -> assertThat(context)
                        .hasSingleBean(LocksEndpoint.class)
                        .hasSingleBean(LocksEndpointWebExtension.class));
    }

    @Endpoint(id = "locks")
    static class OwnEndpoint {

        @ReadOperation
        public String locks() {
            return "own";
        }
    }

    @Test
    void application_may_replace_the_endpoint() {
        application
                .withConfiguration(AutoConfigurations.of(
                        EndpointAutoConfiguration.class,
                        JmxAutoConfiguration.class,
                        JmxEndpointAutoConfiguration.class))
                .withPropertyValues(
                        EXPOSED, "spring.jmx.enabled=true", "management.endpoints.jmx.exposure.include=locks")
                .withBean("holdfastLocksEndpoint", OwnEndpoint.class)
                .run(context -> {
                    assertThat(context)
                            .hasNotFailed()
                            .doesNotHaveBean(LocksEndpoint.class)
                            .doesNotHaveBean(LocksEndpointWebExtension.class)
                            .doesNotHaveBean(LocksReport.class);
                    MBeanServer server = context.getBean(MBeanServer.class);
                    assertThat(server.getMBeanInfo(new ObjectName("org.springframework.boot:type=Endpoint,name=Locks"))
                                    .getOperations())
                            .extracting(MBeanOperationInfo::getName)
                            .containsExactly("locks");
                });
    }

    @Test
    void application_may_replace_the_report_or_the_web_extension() {
        application
                .withPropertyValues(EXPOSED)
                .withBean("holdfastLocksReport", String.class, () -> "own")
                .run(context -> assertThat(context)
                        .hasSingleBean(LocksEndpoint.class)
                        .doesNotHaveBean(LocksEndpointWebExtension.class)
                        .doesNotHaveBean(LocksReport.class));
        application
                .withPropertyValues(EXPOSED)
                .withBean("holdfastLocksEndpointWebExtension", String.class, () -> "own")
                .run(context -> assertThat(context)
                        .hasSingleBean(LocksReport.class)
                        .doesNotHaveBean(LocksEndpointWebExtension.class));
    }

    interface Service<T> {
        @DistributedLock(key = "'all'")
        void run(T what);
    }

    static class TextService implements Service<String> {
        @Override
        public void run(String what) {}

        @DistributedLock(key = "'other'")
        public void run(int other) {}
    }

    @Test
    void method_is_listed_once_though_its_interface_has_it_too() {
        application
                .withPropertyValues(EXPOSED)
                .withBean(TextService.class)
                .run(context -> assertThat(
                                context.getBean(LocksEndpoint.class).locks().definitions())
                        .extracting(LocksDescriptors.Definition::method)
                        .containsExactlyInAnyOrder(
                                TextService.class.getName() + ".run(String)",
                                TextService.class.getName() + ".run(int)"));
    }

    @Test
    void endpoint_is_not_there_unless_it_is_exposed() {
        application.run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
    }

    @Test
    void endpoint_is_not_there_without_access() {
        application
                .withPropertyValues(EXPOSED, "management.endpoint.locks.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(LocksEndpoint.class));
    }

    @Test
    void endpoint_needs_the_actuator() {
        application
                .withPropertyValues(EXPOSED)
                .withClassLoader(new FilteredClassLoader(Endpoint.class))
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean("holdfastLocksEndpoint"));
    }

    @Test
    void endpoint_needs_a_template() {
        Runners.withoutStore()
                .withPropertyValues(EXPOSED)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LocksEndpoint.class));
    }

    @Test
    void template_of_the_applications_own_that_does_not_tell_has_definitions_only() {
        Runners.starter()
                .withPropertyValues(EXPOSED)
                .withBean(LockTemplate.class, () -> org.mockito.Mockito.mock(LockTemplate.class))
                .withBean(EndpointTest.Payments.class)
                .run(context -> {
                    LocksDescriptors.Locks locks =
                            context.getBean(LocksEndpoint.class).locks();
                    assertThat(locks.definitions()).hasSize(2);
                    assertThat(locks.held()).isEmpty();
                    assertThat(locks.wakeups()).isNull();
                });
    }

    private static SecurityContext user(@Nullable String name, String role) {
        return new SecurityContext() {
            @Override
            public @Nullable Principal getPrincipal() {
                return name == null ? null : () -> name;
            }

            @Override
            public boolean isUserInRole(String asked) {
                return role.equals(asked);
            }
        };
    }

    private static LocksDescriptors.Locks locks(LocksEndpointWebExtension web, SecurityContext user) {
        return (LocksDescriptors.Locks) Objects.requireNonNull(
                web.locks(user, null, null, null, null, null, null, null).getBody());
    }

    @Test
    void keys_are_shown_to_those_who_may_see_them() {
        application
                .withPropertyValues(
                        EXPOSED,
                        "management.endpoint.locks.show-keys=when-authorized",
                        "management.endpoint.locks.roles=OPERATOR")
                .run(context -> {
                    LocksEndpointWebExtension web = context.getBean(LocksEndpointWebExtension.class);
                    try (LockHandle held = context.getBean(LockTemplate.class).acquire("secret")) {
                        assertThat(held.isHeld()).isTrue();
                        assertThat(locks(web, user("jane", "OPERATOR"))
                                        .held()
                                        .get(0)
                                        .key())
                                .isEqualTo("secret");
                        assertThat(locks(web, user("joe", "USER")).held().get(0).key())
                                .isEqualTo("******");
                        assertThat(locks(web, user(null, "")).held().get(0).key())
                                .isEqualTo("******");
                    }
                });
    }

    private static LocksDescriptors.@Nullable Data data(LocksEndpointWebExtension web, SecurityContext user) {
        var lock = (LocksDescriptors.Lock)
                web.lock(user, new String[] {"cursor"}, null).getBody();
        return Objects.requireNonNull(lock).data();
    }

    private static void saveData(BeanFactory context) {
        LockRequest request = LockRequest.of("cursor").withData(Duration.ofMinutes(10));
        context.getBean(LockTemplate.class).execute(request, lock -> {
            lock.saveData("42".getBytes(StandardCharsets.UTF_8));
        });
    }

    @Test
    void content_of_data_is_shown_to_those_who_may_see_it() {
        application
                .withPropertyValues(
                        EXPOSED,
                        "management.endpoint.locks.show-data=when-authorized",
                        "management.endpoint.locks.roles=OPERATOR")
                .run(context -> {
                    LocksEndpointWebExtension web = context.getBean(LocksEndpointWebExtension.class);
                    assertThat(data(web, user("jane", "OPERATOR"))).isNull();
                    saveData(context);

                    assertThat(data(web, user("jane", "OPERATOR")).content()).isEqualTo("42");
                    assertThat(data(web, user("joe", "USER")).content()).isNull();
                    assertThat(data(web, user("joe", "USER")).size()).isEqualTo(2);
                    assertThat(data(web, user(null, "")).content()).isNull();
                });
    }

    @Test
    void content_of_the_data_of_a_masked_lock_is_never_shown() {
        application
                .withPropertyValues(EXPOSED, "management.endpoint.locks.show-data=always", "holdfast.mask-keys=true")
                .run(context -> {
                    saveData(context);

                    var data = data(context.getBean(LocksEndpointWebExtension.class), user("jane", ""));
                    assertThat(data.size()).isEqualTo(2);
                    assertThat(data.content()).isNull();
                });
    }

    @Test
    void store_that_fails_is_said_and_no_stack_trace() {
        LockTemplate template = org.mockito.Mockito.mock(LockTemplate.class);
        org.mockito.Mockito.when(template.inspect("order:42")).thenThrow(StoreSpy.unreachable());
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerSingleton("template", template);
        LocksEndpoint endpoint = new LocksEndpoint(
                beans,
                org.mockito.Mockito.mock(LockOperationSource.class),
                Show.ALWAYS,
                Show.NEVER,
                false,
                new SharedScan<>(List::of, Duration.ofSeconds(1)));
        var web = new LocksEndpointWebExtension(
                endpoint,
                new LocksEndpointProperties(Show.ALWAYS, Show.NEVER, Set.of()),
                new LocksReport(
                        endpoint,
                        new SharedScan<>(() -> SharedScan.Result.of(null), Duration.ofSeconds(1)),
                        Show.ALWAYS),
                () -> LocksPage.html(false));

        WebEndpointResponse<OperationResponseBody> answer = web.lock(user(null, ""), new String[] {"order:42"}, null);

        assertThat(answer.getStatus()).isEqualTo(503);
        assertThat(answer.getBody()).isEqualTo(new Problem("Redis cannot be reached (on purpose)"));
    }

    @Test
    void all_locks_are_shown_over_jmx() {
        String domain = "holdfast-" + UUID.randomUUID();
        application
                .withConfiguration(AutoConfigurations.of(
                        JmxAutoConfiguration.class,
                        EndpointAutoConfiguration.class,
                        JmxEndpointAutoConfiguration.class))
                .withPropertyValues(
                        "spring.jmx.enabled=true",
                        "management.endpoints.jmx.exposure.include=locks",
                        "management.endpoints.jmx.domain=" + domain)
                .run(context -> {
                    MBeanServer server = context.getBean(MBeanServer.class);
                    try (LockHandle held = context.getBean(LockTemplate.class).acquire("secret")) {
                        Object answer = server.invoke(
                                new ObjectName(domain + ":type=Endpoint,name=Locks"),
                                "allLocks",
                                new Object[] {null, null, null, null, null},
                                new String[0]);

                        assertThat(String.valueOf(answer))
                                .contains(String.valueOf(held.fencingToken()))
                                .contains("******")
                                .doesNotContain("secret");
                    }
                });
    }

    @Test
    void endpoint_works_over_jmx() {
        String domain = "holdfast-" + UUID.randomUUID();
        application
                .withConfiguration(AutoConfigurations.of(
                        JmxAutoConfiguration.class,
                        EndpointAutoConfiguration.class,
                        JmxEndpointAutoConfiguration.class))
                .withPropertyValues(
                        "spring.jmx.enabled=true",
                        "management.endpoints.jmx.exposure.include=locks",
                        "management.endpoint.locks.show-keys=always",
                        "management.endpoints.jmx.domain=" + domain)
                .run(context -> {
                    MBeanServer server = context.getBean(MBeanServer.class);
                    ObjectName name = new ObjectName(domain + ":type=Endpoint,name=Locks");
                    try (LockHandle held = context.getBean(LockTemplate.class).acquire("a,b//c")) {
                        Object answer =
                                server.invoke(name, "lock", new Object[] {new String[] {"-"}, "a,b//c"}, new String[] {
                                    Object.class.getName(), String.class.getName()
                                });
                        assertThat(answer).asString().contains("a,b//c", String.valueOf(held.fencingToken()));
                        assertThat(server.invoke(name, "locks", new Object[0], new String[0]))
                                .asString()
                                .contains("a,b//c");
                        assertThatThrownBy(() -> server.invoke(
                                        name,
                                        "forceRelease",
                                        new Object[] {new String[] {"-"}, "a,b//c"},
                                        new String[] {Object.class.getName(), String.class.getName()}))
                                .hasStackTraceContaining("forceRelease");
                        held.ensureHeld();
                    }
                });
    }
}
