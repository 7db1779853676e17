/**
 * What a driver has to give: connections that only locks use ({@link io.holdfast.lock.redis.driver.DriverConnections}), and how scripts
 * go over them ({@link io.holdfast.lock.redis.driver.Wire}). One by way of Spring Data is here; each driver has a package of its own.
 */
@NullMarked
package io.holdfast.lock.redis.driver;

import org.jspecify.annotations.NullMarked;
