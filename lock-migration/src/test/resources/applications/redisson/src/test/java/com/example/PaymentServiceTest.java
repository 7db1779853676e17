package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

class PaymentServiceTest {

    private final RedissonClient redissonClient = mock(RedissonClient.class);
    private final RLock lock = mock(RLock.class);
    private final Wallets wallets = mock(Wallets.class);

    @Test
    void paysUnderTheLock() throws InterruptedException {
        when(redissonClient.getLock("pay:7")).thenReturn(lock);
        when(lock.tryLock(5, 30, TimeUnit.SECONDS)).thenReturn(true);
        when(lock.isHeldByCurrentThread()).thenReturn(true);
        when(wallets.debit(7, 100)).thenReturn(100L);

        assertEquals(100, new PaymentService(redissonClient, wallets).pay(7, 100));
        verify(lock).unlock();
    }
}
