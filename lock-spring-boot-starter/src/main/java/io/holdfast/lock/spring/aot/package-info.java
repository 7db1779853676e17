/** Hints for native images, for everything in an application that locks find only by reflection. */
@NullMarked
package io.holdfast.lock.spring.aot;

import org.jspecify.annotations.NullMarked;
