package io.holdfast.lock.spring.key;

import java.lang.reflect.Method;
import org.springframework.core.ParameterNameDiscoverer;
import org.springframework.expression.BeanResolver;

/**
 * Where an expression stands, and what it may refer to.
 *
 * @param method the annotated method of the target class
 * @param annotated where the annotation stands: that method, or one that it implements or overrides; that method if it stands on
 *     a class
 * @param description the annotated place, for messages
 * @param names tells the names of parameters
 * @param beans yields what expressions call {@code @name}
 */
public record LockedPlace(
        Method method, Method annotated, String description, ParameterNameDiscoverer names, BeanResolver beans) {}
