/** What a native image has to keep of an application, since locks find it by reflection only. */
@NullMarked
package io.holdfast.lock.spring.aot;

import org.jspecify.annotations.NullMarked;
