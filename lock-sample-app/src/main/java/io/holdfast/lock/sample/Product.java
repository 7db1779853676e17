package io.holdfast.lock.sample;

record Product(long id, String name, long priceCents, int quantity) {}
