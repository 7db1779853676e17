package io.holdfast.lock.migration;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * A shop that forgets a sale when two are made at once. Several threads, by way of several clients, make sales; none is
 * forgotten only if they exclude each other.
 */
public final class Stock implements Shop {

    private static final int SALES_OF_EACH = 15;

    private volatile int sold;

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // lets others in, if they are not kept out
    public void charge(long id) {
        int before = sold;
        Thread.yield();
        sold = before + 1;
    }

    public int sold() {
        return sold;
    }

    /** One client's way to make a sale under the lock. */
    @FunctionalInterface
    public interface Sale {
        void make() throws Exception;
    }

    /** Two threads for each client; fails if a sale is forgotten. */
    public void assertThatNothingIsForgotten(List<Sale> clients) throws Exception {
        List<Sale> sellers = new ArrayList<>(clients);
        sellers.addAll(clients);
        ExecutorService threads = Executors.newFixedThreadPool(sellers.size());
        try {
            List<Future<?>> all = new ArrayList<>();
            sellers.forEach(sale -> all.add(threads.submit(() -> repeat(sale))));
            for (Future<?> each : all) {
                each.get(2, TimeUnit.MINUTES);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(sold).isEqualTo(sellers.size() * SALES_OF_EACH);
    }

    private static Void repeat(Sale sale) throws Exception {
        for (int i = 0; i < SALES_OF_EACH; i++) {
            sale.make();
        }
        return null;
    }
}
