package io.holdfast.lock.leader;

import io.holdfast.lock.api.LockEvent;
import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockKey;
import io.holdfast.lock.api.LockLostException;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.LossCause;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A template whose asynchronous calls are granted, fail and lose their locks when the test says so. */
final class ScriptedLocks {

    final LockTemplate template = proxy(LockTemplate.class, this::call);
    final List<Call> calls = new ArrayList<>();

    /** Thrown by the next call, instead of returning a future. */
    @Nullable
    RuntimeException refusal;

    /** Runs during each call, before its future is returned. */
    Runnable duringCall = () -> {};

    private interface Handler {
        @Nullable
        Object call(Method method, Object[] arguments);
    }

    private static <T> T proxy(Class<T> type, Handler handler) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> handler.call(method, arguments)));
    }

    @SuppressWarnings({"unchecked", "FutureReturnValueIgnored"})
    private Object call(Method method, Object[] arguments) {
        if (!method.getName().equals("executeAsync")) {
            throw new UnsupportedOperationException(method.toString());
        }
        if (refusal != null) {
            throw refusal;
        }
        var call = new Call(
                (LockRequest) arguments[0],
                (Function<? super LockHandle, ? extends CompletionStage<@Nullable Void>>) arguments[1],
                calls.size() + 1L);
        calls.add(call);
        duringCall.run();
        return call.result;
    }

    Call last() {
        return calls.get(calls.size() - 1);
    }

    /** One call, with the lock that it may be granted. Its token is its number. */
    static final class Call {

        final LockRequest request;
        final CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        private final Function<? super LockHandle, ? extends CompletionStage<@Nullable Void>> work;
        private final long token;
        private final List<Consumer<LockEvent.Lost>> onLost = new ArrayList<>();
        boolean held;
        boolean released;

        Call(
                LockRequest request,
                Function<? super LockHandle, ? extends CompletionStage<@Nullable Void>> work,
                long token) {
            this.request = request;
            this.work = work;
            this.token = token;
        }

        void grant() {
            held = true;
            work.apply(proxy(LockHandle.class, this::ofHandle)).whenComplete((nothing, failure) -> {
                released = true;
                if (held) {
                    held = false;
                    result.complete(null);
                } else {
                    result.completeExceptionally(new LockLostException(loss()));
                }
            });
        }

        @SuppressWarnings("unchecked")
        private @Nullable Object ofHandle(Method method, Object[] arguments) {
            return switch (method.getName()) {
                case "fencingToken" -> token;
                case "isHeld" -> held;
                case "onLost" -> {
                    onLost.add((Consumer<LockEvent.Lost>) arguments[0]);
                    yield null;
                }
                default -> throw new UnsupportedOperationException(method.toString());
            };
        }

        /** Its deadline passes, and nobody has noticed yet. */
        void pass() {
            held = false;
        }

        void lose() {
            held = false;
            List.copyOf(onLost).forEach(each -> each.accept(loss()));
        }

        private LockEvent.Lost loss() {
            return new LockEvent.Lost(LockKey.of("leader:a"), "", token, Duration.ZERO, LossCause.EXPIRED, null);
        }
    }
}
