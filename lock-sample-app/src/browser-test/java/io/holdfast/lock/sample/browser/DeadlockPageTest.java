package io.holdfast.lock.sample.browser;

import org.junit.jupiter.api.BeforeAll;

/** A deadlock on one Redis. */
class DeadlockPageTest extends DeadlockScene {

    @BeforeAll
    static void start() {
        startInstances();
    }

    @Override
    String picture() {
        return "";
    }
}
