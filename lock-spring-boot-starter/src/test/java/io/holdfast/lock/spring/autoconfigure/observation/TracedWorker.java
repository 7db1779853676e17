package io.holdfast.lock.spring.autoconfigure.observation;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.spring.WorkerJvm;
import io.opentelemetry.sdk.trace.samplers.Sampler;

/** A process that holds a lock again and again, each time in a span; it says when, and to which spans its waits are linked. */
final class TracedWorker {

    private TracedWorker() {}

    /** Arguments: port of Redis, key, how many times. Ends with the standard input. */
    public static void main(String[] arguments) {
        TracedInstance instance = new TracedInstance(Sampler.alwaysOn());
        LockRequest order = TracedInstance.order(arguments[1]);
        instance.run(Integer.parseInt(arguments[0]), context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            WorkerJvm.say("READY");
            for (int i = 0; i < Integer.parseInt(arguments[2]); i++) {
                WorkerJvm.say(instance.hold(locks, order).line());
            }
            instance.contended()
                    .forEach(
                            each -> WorkerJvm.say(TracedInstance.Waited.of(each).line()));
            WorkerJvm.say("END");
            WorkerJvm.awaitEndOfInput();
        });
    }
}
