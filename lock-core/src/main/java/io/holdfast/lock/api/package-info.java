/**
 * The API for applications: the template, requests, handles, the {@code Lock} view, results, exceptions, events. Depends on no
 * other package.
 *
 * <p>From 0.1.0 on, minor versions stay compatible: methods, constructors and constants are not removed without a deprecation in an
 * earlier release. Records may get further components, enumerations further constants, and interfaces further methods with
 * defaults.
 */
@NullMarked
package io.holdfast.lock.api;

import org.jspecify.annotations.NullMarked;
