package io.holdfast.lock.spring.aot;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;

/** Finds beans with methods that are locked or run on the leader only, and has a native image keep what these need of them. */
final class LockedBeanProcessor implements BeanRegistrationAotProcessor {

    @Override
    public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean bean) {
        List<LockedMethod> methods = LockedMethod.of(bean.getBeanClass(), bean.getBeanFactory());
        return methods.isEmpty()
                ? null
                : (generation, code) ->
                        methods.forEach(each -> register(each, bean.getBeanFactory(), generation.getRuntimeHints()));
    }

    private static void register(LockedMethod locked, ConfigurableListableBeanFactory beans, RuntimeHints hints) {
        locked.registerReflection(hints.reflection());
        for (String expression : locked.expressions(text -> resolved(text, beans))) {
            new ExpressionHints(hints.reflection(), beans).register(expression, locked);
        }
    }

    /** As far as the build knows the properties. */
    private static String resolved(String text, ConfigurableListableBeanFactory beans) {
        try {
            String value = beans.resolveEmbeddedValue(text);
            return value == null ? "" : value;
        } catch (IllegalArgumentException notSet) {
            return text;
        }
    }
}
