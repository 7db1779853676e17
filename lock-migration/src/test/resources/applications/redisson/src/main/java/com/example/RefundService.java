package com.example;

import java.util.concurrent.TimeUnit;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;
import org.springframework.stereotype.Service;

@Service
public class RefundService {

    private final RedissonClient redissonClient;
    private final Wallets wallets;

    public RefundService(RedissonClient redissonClient, Wallets wallets) {
        this.redissonClient = redissonClient;
        this.wallets = wallets;
    }

    public long refund(long id, long cents) throws InterruptedException {
        RLock lock = redissonClient.getLock("refund:" + id);
        if (!lock.tryLock(5, 30, TimeUnit.SECONDS)) {
            throw new IllegalStateException("Wallet " + id + " is busy");
        }
        try {
            return wallets.debit(id, cents);
        } finally {
            if (lock.isHeldByCurrentThread()) {
                lock.unlock();
            }
        }
    }
}
