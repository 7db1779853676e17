package io.holdfast.lock.sample.shop;

record Product(long id, String name, long priceCents, int quantity) {}
