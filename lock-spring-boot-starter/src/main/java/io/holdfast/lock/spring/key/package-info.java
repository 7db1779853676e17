/** Key expressions, and the keys that they yield: {@link io.holdfast.lock.spring.key.LockKeys}. */
@NullMarked
package io.holdfast.lock.spring.key;

import org.jspecify.annotations.NullMarked;
