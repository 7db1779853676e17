package com.example;

import com.baomidou.lock.LockInfo;
import com.baomidou.lock.LockTemplate;
import com.baomidou.lock.executor.RedisTemplateLockExecutor;

public class RefundService {

    private final LockTemplate lockTemplate;
    private final OrderMapper orderMapper;

    public RefundService(LockTemplate lockTemplate, OrderMapper orderMapper) {
        this.lockTemplate = lockTemplate;
        this.orderMapper = orderMapper;
    }

    public boolean refund(Long productId) {
        LockInfo lockInfo = lockTemplate.lock("refund:" + productId, 30000L, 5000L, RedisTemplateLockExecutor.class);
        if (null == lockInfo) {
            throw new IllegalStateException("busy, please try again");
        }
        try {
            return orderMapper.reduceStock(productId, -1) == 1;
        } finally {
            lockTemplate.releaseLock(lockInfo);
        }
    }
}
