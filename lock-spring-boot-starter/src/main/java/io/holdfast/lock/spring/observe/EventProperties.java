package io.holdfast.lock.spring.observe;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Events of locks as events of the application.
 *
 * @param publish Whether what happens to locks is published as application events.
 */
@ConfigurationProperties("lock.events")
record EventProperties(@DefaultValue("true") boolean publish) {}
