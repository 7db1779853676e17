package io.holdfast.lock.migration;

import io.holdfast.lock.migration.Stock.Sale;

/** A stock of which one thread at a time can be kept inside. */
public final class Door implements Shop {

    private static final ThreadLocal<Shop> STAYING = new ThreadLocal<>();

    private final Stock stock = new Stock();

    @Override
    public void charge(long id) {
        Shop shop = STAYING.get();
        (shop == null ? stock : shop).charge(id);
    }

    /** A thread that makes this sale, and stays in the middle of it. */
    public Holding hold(Sale sale) {
        return Holding.inside(shop -> {
            STAYING.set(shop);
            sale.make();
        });
    }

    public int sold() {
        return stock.sold();
    }

    public Stock stock() {
        return stock;
    }
}
