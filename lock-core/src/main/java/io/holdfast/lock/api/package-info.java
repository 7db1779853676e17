/**
 * The API for applications: the template, requests, handles, the {@code Lock} view, results, exceptions and events. It depends
 * on no other package.
 *
 * <p>From 0.1.0 on, minor versions stay compatible: methods, constructors and constants are not removed without being
 * deprecated in an earlier release. New components may be added to records, new constants to enums, and new default methods to
 * interfaces.
 */
@NullMarked
package io.holdfast.lock.api;

import org.jspecify.annotations.NullMarked;
