package com.example;

import com.baomidou.lock.LockTemplate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration
public class OrderConfig {

    @Bean
    public OrderMapper orderMapper() {
        return (productId, count) -> 1;
    }

    @Bean
    public RefundService refundService(LockTemplate lockTemplate, OrderMapper orderMapper) {
        return new RefundService(lockTemplate, orderMapper);
    }
}
