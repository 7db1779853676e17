package com.example.jobs;

import io.holdfast.lock.spring.annotation.OnOneInstance;
import io.holdfast.lock.spring.jobs.Jobs;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
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

    private final List<Instant> fireTimes = new CopyOnWriteArrayList<>();

    /** Once for each fire time, on whichever instance comes first; the others skip it, although their clocks differ. */
    @Scheduled(cron = "${report.cron}")
    @OnOneInstance(name = "report")
    public void write() {
        Instant fireTime = Jobs.currentRun().orElseThrow().fireTime();
        fireTimes.add(fireTime);
        log.info("This instance writes the report for {}", fireTime);
    }

    public List<Instant> fireTimes() {
        return fireTimes;
    }
}
