package io.holdfast.lock.sample;

/**
 * @param charged whether this call charged the customer; false if an earlier call did
 */
record Receipt(long paymentId, long orderId, long amountCents, boolean charged) {}
