package io.holdfast.lock.sample;

record Order(long id, long productId, int quantity, long amountCents, boolean paid) {}
