/** What metrics, traces and listeners of the application see of its locks. */
@NullMarked
package io.holdfast.lock.spring.observe;

import org.jspecify.annotations.NullMarked;
