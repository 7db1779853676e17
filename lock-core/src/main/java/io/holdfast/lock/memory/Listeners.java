package io.holdfast.lock.memory;

import io.holdfast.lock.store.LockStore;
import io.holdfast.lock.store.WakeListener;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The listeners of all clients. Thread-safe. */
final class Listeners {

    private static final Logger LOG = LoggerFactory.getLogger(Listeners.class);

    private final Map<Registration, String> clients = new ConcurrentHashMap<>();

    /** Equal to itself only, so that one listener may be registered twice. */
    private final class Registration implements LockStore.Listening {
        private final WakeListener listener;

        Registration(WakeListener listener) {
            this.listener = listener;
        }

        @Override
        public void close() {
            clients.remove(this);
        }
    }

    LockStore.Listening add(String clientId, WakeListener listener) {
        Registration registration = new Registration(listener);
        clients.put(registration, clientId);
        listener.connected();
        return registration;
    }

    void tell(List<Hints.Hint> hints) {
        for (Hints.Hint hint : hints) {
            clients.forEach((registration, clientId) -> {
                if (clientId.equals(hint.clientId())) {
                    tell(registration.listener, hint);
                }
            });
        }
    }

    /** The caller is unrelated to the listener, so a failure of the listener must not lose the caller's reply. */
    private static void tell(WakeListener listener, Hints.Hint hint) {
        try {
            hint.call().accept(listener);
        } catch (RuntimeException | Error e) {
            LOG.warn("A wake-up listener failed", e);
        }
    }
}
