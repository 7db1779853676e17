/** What applications use beside the annotations: the lock of the current method, customizers of requests, events of leadership. */
@NullMarked
package io.holdfast.lock.spring;

import org.jspecify.annotations.NullMarked;
