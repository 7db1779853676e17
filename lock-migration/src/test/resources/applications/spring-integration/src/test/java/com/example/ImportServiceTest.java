package com.example;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import org.junit.jupiter.api.Test;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;

class ImportServiceTest {

    @Test
    void loadsUnderTheLock() throws InterruptedException {
        RedisLockRegistry registry = mock(RedisLockRegistry.class);
        DistributedLock lock = mock(DistributedLock.class);
        when(registry.obtain("a.csv")).thenReturn(lock);
        when(lock.tryLock(1, java.util.concurrent.TimeUnit.SECONDS)).thenReturn(true);
        Files files = mock(Files.class);
        when(files.load(any())).thenReturn(5);

        assertEquals(5, new ImportService(registry, files).load("a.csv"));
    }
}
