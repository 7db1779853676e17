package io.holdfast.lock.spring.definition;

import io.holdfast.lock.spring.annotation.DistributedLock;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;

/** The definition of each locked method, parsed once for each method and target class. */
public final class LockDefinitions {

    private final Map<MethodClassKey, LockDefinition> known = new ConcurrentHashMap<>();
    private final DefinitionParser parser;

    /**
     * Creates an instance.
     *
     * @param beans resolves placeholders and {@code @bean} references
     * @param configured yields what the properties say; asked at the first call of a method
     */
    public LockDefinitions(ConfigurableBeanFactory beans, Supplier<ConfiguredSettings> configured) {
        this(new DefinitionParser(beans::resolveEmbeddedValue, new BeanFactoryResolver(beans), configured));
    }

    LockDefinitions(DefinitionParser parser) {
        this.parser = parser;
    }

    /**
     * {@return the definition, or null if the method has no annotation}
     *
     * @param method as it is called
     * @param targetClass of what it is called on
     * @throws io.holdfast.lock.spring.annotation.LockDefinitionException if the annotation cannot work
     */
    public @Nullable LockDefinition find(Method method, Class<?> targetClass) {
        MethodClassKey id = new MethodClassKey(method, targetClass);
        LockDefinition definition = known.get(id);
        if (definition == null) {
            definition = parse(method, userClass(method, targetClass));
            if (definition != null) {
                known.put(id, definition);
            }
        }
        return definition;
    }

    /** What only a proxy has is called by the interface that has it, since the proxy's name is another one at each start. */
    private static Class<?> userClass(Method method, Class<?> targetClass) {
        if (Proxy.isProxyClass(targetClass)) {
            for (Class<?> each : targetClass.getInterfaces()) {
                if (method.getDeclaringClass().isAssignableFrom(each)) {
                    return each;
                }
            }
        }
        return ClassUtils.getUserClass(targetClass);
    }

    private @Nullable LockDefinition parse(Method method, Class<?> userClass) {
        Method specific = LockAnnotations.specific(method, userClass);
        List<DistributedLock> annotations = LockAnnotations.find(method, specific, userClass);
        return annotations.isEmpty() ? null : parser.parse(annotations, specific, userClass);
    }
}
