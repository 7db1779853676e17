/** The responses to clients of a web application when a lock was not free. */
@NullMarked
package io.holdfast.lock.spring.web;

import org.jspecify.annotations.NullMarked;
