package com.example;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.springframework.integration.support.locks.LockRegistry;
import org.springframework.stereotype.Service;

@Service
public class ImportService {

    private final LockRegistry<?> lockRegistry;
    private final Files files;

    public ImportService(LockRegistry<?> lockRegistry, Files files) {
        this.lockRegistry = lockRegistry;
        this.files = files;
    }

    public int load(String name) throws InterruptedException {
        Lock lock = lockRegistry.obtain(name);
        if (!lock.tryLock(1, TimeUnit.SECONDS)) {
            return 0;
        }
        try {
            return files.load(name);
        } finally {
            lock.unlock();
        }
    }
}
