package io.holdfast.lock.redis;

/** Hears of what casts doubt on the server that a subscription is at. */
interface Doubts {

    /** A call was not answered: the server may hang, or be gone. */
    void unanswered();

    /** A call was answered by a replica: another server is the primary now. */
    void replica();
}
