package com.example;

import com.baomidou.lock.annotation.Lock4j;
import org.springframework.stereotype.Service;

@Service
public class OrderService {

    private final OrderMapper orderMapper;

    public OrderService(OrderMapper orderMapper) {
        this.orderMapper = orderMapper;
    }

    @Lock4j(keys = {"#productId"}, expire = 60000, acquireTimeout = 1000)
    public boolean create(Long productId, int count) {
        return orderMapper.reduceStock(productId, count) == 1;
    }

    @Lock4j
    public void cleanUp() {
        orderMapper.reduceStock(0L, 0);
    }
}
