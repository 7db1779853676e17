package io.holdfast.lock.spring.key;

import java.lang.reflect.Method;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;

/**
 * Where an expression stands, and what it may refer to.
 *
 * @param method the annotated method of the target class
 * @param description the annotated place, for messages
 * @param names tells the names of parameters
 * @param beans yields what expressions call {@code @name}
 */
public record LockedPlace(Method method, String description, ParameterNameDiscoverer names, BeanResolver beans) {}
