package io.holdfast.lock.sample;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.task.ThreadPoolTaskSchedulerCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.EnableScheduling;

/** A small shop. Start it twice and let the two instances race: {@code --shop.race=1000}. */
@SpringBootApplication
@EnableScheduling
public class ShopApplication {

    private static final Logger log = LoggerFactory.getLogger(ShopApplication.class);

    static {
        // The first instance serves the H2 database to the others, on this machine only.
        System.setProperty("h2.bindAddress", "127.0.0.1");
    }

    ShopApplication() {}

    /** The heartbeat fails while the database is unavailable, and is repeated every second: a short warning is enough. */
    @Bean
    static ThreadPoolTaskSchedulerCustomizer shortWarnings() {
        return scheduler -> scheduler.setErrorHandler(e -> log.warn("Failed, trying again: {}", e.toString()));
    }

    public static void main(String[] args) {
        ConfigurableApplicationContext context = SpringApplication.run(ShopApplication.class, args);
        if (context.getEnvironment().containsProperty("shop.race")) {
            System.exit(SpringApplication.exit(context));
        }
    }
}
