/** Jobs that run once for each fire time of their schedule, on whichever instance comes first. */
@NullMarked
package io.holdfast.lock.spring.jobs;

import org.jspecify.annotations.NullMarked;
