package io.holdfast.lock.sample.race;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/** What a shop does between reading the stock and writing it: prices, discounts, a log line. */
@Component
class Thinking {

    private final long millis;

    Thinking(@Value("${shop.race.think-millis:1}") long millis) {
        this.millis = millis;
    }

    void pause() throws InterruptedException {
        Thread.sleep(millis);
    }
}
