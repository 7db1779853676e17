/**
 * What users touch: the template, requests, handles, the lock view, outcomes, events. Imports nothing of the rest.
 */
@NullMarked
package io.holdfast.lock.api;

import org.jspecify.annotations.NullMarked;
