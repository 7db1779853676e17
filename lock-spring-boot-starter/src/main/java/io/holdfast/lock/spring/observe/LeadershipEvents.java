package io.holdfast.lock.spring.observe;

import io.holdfast.lock.leader.Leadership;
import io.holdfast.lock.spring.leader.LeadershipObserver;
import org.springframework.context.ApplicationEventPublisher;

/** Publishes the beginning and the end of each term of this instance as application events. Created with the first role. */
final class LeadershipEvents implements LeadershipObserver {

    private final ApplicationEventPublisher application;

    LeadershipEvents(ApplicationEventPublisher application) {
        this.application = application;
    }

    @Override
    public void joined(Leadership leadership) {
        leadership.onElected(term -> application.publishEvent(new LeaderElectedEvent(term)));
        leadership.onRevoked(term -> application.publishEvent(new LeaderRevokedEvent(term)));
    }
}
