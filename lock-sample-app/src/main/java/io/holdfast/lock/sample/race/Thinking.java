package io.holdfast.lock.sample.race;

/** What a shop does between reading the stock and writing it: prices, discounts, a log line. */
@FunctionalInterface
interface Thinking {

    void pause() throws InterruptedException;
}
