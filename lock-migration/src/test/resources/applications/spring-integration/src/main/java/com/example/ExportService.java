package com.example;

import java.util.concurrent.locks.Lock;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.integration.redis.util.RedisLockRegistry;
import org.springframework.stereotype.Service;

@Service
public class ExportService {

    @Autowired
    private RedisLockRegistry redisLockRegistry;

    @Autowired
    private Files files;

    public int export(String name) {
        Lock lock = redisLockRegistry.obtain(name);
        lock.lock();
        try {
            return files.load(name);
        } finally {
            lock.unlock();
        }
    }
}
