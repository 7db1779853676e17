package io.holdfast.lock.migration.lock4j;

import com.baomidou.lock.annotation.Lock4j;
import io.holdfast.lock.migration.Shop;
import io.holdfast.lock.spring.annotation.DistributedLock;

/** The release that takes both locks. */
public class Lock4jBetween {

    private final Shop shop;

    public Lock4jBetween(Shop shop) {
        this.shop = shop;
    }

    @Lock4j(name = "order", keys = "#id", acquireTimeout = 2_000)
    @DistributedLock(name = "order", key = "#id", waitFor = 2)
    public void keys(long id) {
        shop.charge(id);
    }
}
