package io.holdfast.lock.spring.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.WebApplication;
import io.holdfast.lock.spring.annotation.DistributedLock;
import io.holdfast.lock.testing.RunningTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

/** A web server warns of threads that a web application has started, and that outlast it. */
class WebThreadsTest {

    @EnableAsync
    @RestController
    static class Work {

        private final LockTemplate locks;
        private final Executor elsewhere;

        Work(LockTemplate locks, Executor elsewhere) {
            this.locks = locks;
            this.elsewhere = elsewhere;
        }

        @GetMapping("/stage")
        @DistributedLock(key = "'web-threads-stage'")
        public CompletableFuture<String> stage() {
            return CompletableFuture.supplyAsync(() -> "done", elsewhere);
        }

        @GetMapping("/mono")
        @DistributedLock(key = "'web-threads-mono'")
        public Mono<String> mono() {
            return Mono.just("done");
        }

        @GetMapping("/template")
        public CompletableFuture<String> template() {
            return locks.executeAsync("web-threads-template", () -> CompletableFuture.completedFuture("done"));
        }
    }

    @Test
    void none_is_left_when_the_application_has_ended() throws Exception {
        RunningTime.withoutPause(this::runAndEnd);
    }

    private void runAndEnd() {
        List<Thread> running;
        try (WebApplication application = WebApplication.start(Work.class)) {
            for (String path : List.of("/stage", "/mono", "/template")) {
                assertThat(application.get(path).body()).isEqualTo("done");
            }
            running = threadsOfWebApplications();
        }
        assertThat(running)
                .extracting(Thread::getName)
                .anyMatch(name -> name.startsWith("holdfast-release-"))
                .anyMatch(name -> name.equals("holdfast-result"))
                .anyMatch(name -> name.startsWith("holdfast-async-"));
        Awaitility.await()
                .atMost(Duration.ofSeconds(5)) // idle threads end by themselves after ten
                .until(() -> running.stream().noneMatch(Thread::isAlive));
    }

    /** As Tomcat recognizes them; those that are not pools end by themselves. */
    private static List<Thread> threadsOfWebApplications() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches("holdfast-(release|result|async).*"))
                .filter(thread -> thread.getContextClassLoader() != null
                        && thread.getContextClassLoader().getClass().getName().contains("WebappClassLoader"))
                .toList();
    }
}
