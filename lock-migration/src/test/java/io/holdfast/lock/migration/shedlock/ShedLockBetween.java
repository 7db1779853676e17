package io.holdfast.lock.migration.shedlock;

import io.holdfast.lock.migration.Shop;
import io.holdfast.lock.spring.annotation.OnOneInstance;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;
import org.springframework.scheduling.annotation.Scheduled;

/** The release that takes both locks. */
public class ShedLockBetween {

    private final Shop shop;

    public ShedLockBetween(Shop shop) {
        this.shop = shop;
    }

    // region both
    @Scheduled(cron = "0 0 2 * * *")
    @SchedulerLock(name = "report", lockAtMostFor = "30m", lockAtLeastFor = "1m")
    @OnOneInstance(name = "report")
    public void report() {
        shop.charge(0);
    }
    // endregion
}
