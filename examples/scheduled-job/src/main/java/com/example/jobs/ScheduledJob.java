package com.example.jobs;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.event.EventListener;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

@SpringBootApplication
@EnableScheduling
public class ScheduledJob {

    public static void main(String[] args) {
        SpringApplication.run(ScheduledJob.class, args);
    }
}

@Component
class Report {

    private static final Logger log = LoggerFactory.getLogger(Report.class);

    private final AtomicInteger runs = new AtomicInteger();

    /**
     * The first instance runs it, and the others skip it. The clocks of the instances differ, so the lock is kept for half a
     * minute, however short the job is: longer than the clocks differ, and shorter than the time until the next run.
     */
    @Scheduled(cron = "${report.cron}")
    @OnOneInstance(name = "report", minHold = "30s")
    public void write() {
        log.info("This instance writes report {}", runs.incrementAndGet());
    }

    public int runs() {
        return runs.get();
    }
}

@Component
class Skipped {

    private static final Logger log = LoggerFactory.getLogger(Skipped.class);

    private final AtomicInteger times = new AtomicInteger();

    @EventListener
    void onContention(LockEvent.NotAcquired event) {
        times.incrementAndGet();
        log.info("Another instance writes the report");
    }

    int times() {
        return times.get();
    }
}
