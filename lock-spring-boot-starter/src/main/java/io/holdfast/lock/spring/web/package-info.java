/** What clients of a web application are told when a lock was not free. */
@NullMarked
package io.holdfast.lock.spring.web;

import org.jspecify.annotations.NullMarked;
