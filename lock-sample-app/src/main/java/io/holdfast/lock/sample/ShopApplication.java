package io.holdfast.lock.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** A small shop. Start it twice and let the two instances race: {@code --shop.race=1000}. */
@SpringBootApplication
public class ShopApplication {

    static {
        // The first instance serves the H2 database to the others: to this machine only.
        System.setProperty("h2.bindAddress", "127.0.0.1");
    }

    ShopApplication() {}

    public static void main(String[] args) {
        ConfigurableApplicationContext context = SpringApplication.run(ShopApplication.class, args);
        if (context.getEnvironment().containsProperty("shop.race")) {
            System.exit(SpringApplication.exit(context));
        }
    }
}
