/** Hints for native images, for everything in an application that locks access only by reflection. */
@NullMarked
package io.holdfast.lock.spring.aot;

import org.jspecify.annotations.NullMarked;
