package io.holdfast.lock.spring.definition;

import io.holdfast.lock.spring.annotation.DistributedLock;
import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;

/** The definition of each locked method, parsed once for each method and target class. */
public final class LockDefinitions extends AnnotatedMethods<LockDefinition> {

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

    @Override
    protected @Nullable LockDefinition read(Method method, Method specific, Class<?> userClass, Class<?> targetClass) {
        List<DistributedLock> annotations = LockAnnotations.find(method, specific, userClass, parser.placeholders());
        return annotations.isEmpty() ? null : parser.parse(annotations, specific, userClass);
    }

    @Override
    public boolean isExempt(Method specific, Class<?> userClass) {
        return LockAnnotations.isFallback(specific, userClass, parser.placeholders());
    }

    @Override
    public Method methodOf(LockDefinition found) {
        return found.method();
    }
}
