package io.holdfast.lock.spring.jobs;

import io.holdfast.lock.spring.LockContext;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.WorkerJvm;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;

/**
 * An instance as a process of its own, whose clock differs from that of the machine, for the scheduler as well as for jobs. Each run writes
 * a row when it begins, and one as its last act: job, fire time, attempt, fencing token, time of the machine.
 */
final class JobWorker {

    static final Duration DELAY = Duration.ofMillis(700);

    private JobWorker() {}

    /** Arguments: the port of Redis, the offset of the clock in milliseconds, the period in seconds. Ends with the standard input. */
    public static void main(String[] arguments) {
        Clock clock = Clock.offset(Clock.systemUTC(), Duration.ofMillis(Long.parseLong(arguments[1])));
        Runners.redis(Integer.parseInt(arguments[0]))
                .withBean("holdfastJobsClock", Clock.class, () -> clock)
                .withUserConfiguration(Application.class)
                .withPropertyValues(
                        "job.cron=*/" + arguments[2] + " * * * * *",
                        "holdfast.lease=3s",
                        "holdfast.redis.command-timeout=1s")
                .run(context -> {
                    WorkerJvm.say(
                            context.getStartupFailure() == null ? "READY" : "FAILED " + context.getStartupFailure());
                    WorkerJvm.awaitEndOfInput();
                });
    }

    @Configuration(proxyBeanMethods = false)
    @EnableScheduling
    static class Application {

        @Bean
        ThreadPoolTaskScheduler taskScheduler(Clock holdfastJobsClock) {
            ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
            scheduler.setClock(holdfastJobsClock);
            scheduler.setPoolSize(2);
            return scheduler;
        }

        @Bean
        Work work() {
            return new Work();
        }
    }

    static class Work {

        @Scheduled(cron = "${job.cron}", zone = "UTC")
        @OnOneInstance(name = "timed")
        public void timed() throws InterruptedException {
            work("timed");
        }

        @Scheduled(fixedDelay = 700)
        @OnOneInstance(name = "delayed")
        public void delayed() throws InterruptedException {
            work("delayed");
        }

        private static void work(String job) throws InterruptedException {
            JobRun run = Jobs.currentRun().orElseThrow();
            String row = job + " " + run.fireTime().toEpochMilli() + " " + run.attempt() + " "
                    + LockContext.current().orElseThrow().fencingToken() + " ";
            WorkerJvm.say("BEGUN " + row + System.currentTimeMillis());
            Thread.sleep(ThreadLocalRandom.current().nextInt(50, 250));
            WorkerJvm.say("DONE " + row + System.currentTimeMillis());
        }
    }
}
