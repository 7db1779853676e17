package io.holdfast.lock.migration.lock4j;

import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.annotation.Lock4j;
import com.baomidou.lock.executor.LockExecutor;
import com.baomidou.lock.spring.boot.autoconfigure.Lock4jProperties;
import io.holdfast.lock.migration.Shop;
import io.holdfast.lock.spring.annotation.DistributedLock;
import java.util.List;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The release that takes both locks. */
public class Lock4jBetween {

    private final Shop shop;

    public Lock4jBetween(Shop shop) {
        this.shop = shop;
    }

    // region both
    @Lock4j(name = "order", keys = "#id", acquireTimeout = 2_000)
    @DistributedLock(name = "order", key = "#id", waitFor = 2)
    public void keys(long id) {
        shop.charge(id);
    }
    // endregion

    // region bean
    @Configuration(proxyBeanMethods = false)
    static class BothTemplates {

        @Bean
        @SuppressWarnings("rawtypes")
        LockTemplate lock4jTemplate(List<LockExecutor> executors, Lock4jProperties properties) {
            LockTemplate template = new LockTemplate();
            template.setExecutors(executors);
            template.setProperties(properties);
            return template;
        }
    }
    // endregion
}
