package io.holdfast.lock.benchmarks.annotated;

import io.holdfast.lock.spring.annotation.DistributedLock;

/** Locked methods that do next to nothing. */
public class Orders {

    @DistributedLock(name = "order", key = "#id")
    public long pay(long id) {
        return work(id);
    }

    @DistributedLock(name = "order", key = "#id")
    public long payInFull(
            long id,
            String first,
            String second,
            String third,
            String fourth,
            String fifth,
            String sixth,
            String last) {
        return workInFull(id, first, second, third, fourth, fifth, sixth, last);
    }

    @DistributedLock(name = "order", key = "parts(#shop, #id)", condition = "#id > 0")
    public long payAt(String shop, long id) {
        return work(id) + shop.length();
    }

    static long work(long id) {
        return id + 1;
    }

    static long workInFull(
            long id,
            String first,
            String second,
            String third,
            String fourth,
            String fifth,
            String sixth,
            String last) {
        return id
                + first.length()
                + second.length()
                + third.length()
                + fourth.length()
                + fifth.length()
                + sixth.length()
                + last.length();
    }
}
