package io.holdfast.lock.spring.autoconfigure.actuate;

import java.util.Set;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings that determine what the endpoint shows.
 *
 * @param showKeys When to show the keys of locks that are held or waited for.
 * @param showData When to show the content of the data of a single lock, instead of its size only, and the messages of failed jobs.
 * @param roles Roles used to determine whether a user is authorized to see keys and data. When empty, all authenticated users are
 *     authorized.
 */
@ConfigurationProperties("management.endpoint.locks")
record LocksEndpointProperties(
        @DefaultValue("never") Show showKeys,
        @DefaultValue("never") Show showData,
        @DefaultValue Set<String> roles) {}
