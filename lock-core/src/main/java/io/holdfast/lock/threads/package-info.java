/** Creates all threads of Holdfast, and the ways in which they wait. Internal: its types may change in any version. */
@NullMarked
package io.holdfast.lock.threads;

import org.jspecify.annotations.NullMarked;
