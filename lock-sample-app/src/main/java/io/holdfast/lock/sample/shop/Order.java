package io.holdfast.lock.sample.shop;

record Order(long id, long productId, int quantity, long amountCents, boolean paid) {}
