package io.holdfast.lock.spring.key;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.expression.BeanResolver;
import org.springframework.expression.ConstructorResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.IndexAccessor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.OperatorOverloader;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypeComparator;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.support.StandardEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeLocator;

/**
 * What the expressions of one call see. It looks arguments up where they are, by the position of their names, so it costs
 * the same for one argument and for twenty; all that does not depend on the call is shared.
 *
 * <p>Nothing can be assigned: a key is read from the call, and does not change it.
 */
final class CallContext implements EvaluationContext {

    private final Shared shared;
    private final KeyRoot root;

    private CallContext(Shared shared, KeyRoot root) {
        this.shared = shared;
        this.root = root;
    }

    /** What all calls of one method have in common. */
    record Shared(StandardEvaluationContext standard, Map<String, Integer> positions) {

        CallContext context(KeyRoot root) {
            return new CallContext(this, root);
        }
    }

    static Shared shared(LockedPlace place, KeyVariables variables) {
        StandardEvaluationContext standard = new StandardEvaluationContext();
        standard.setBeanResolver(place.beans());
        standard.addPropertyAccessor(new KotlinGetters());
        standard.setTypeConverter(new KeyTypeConverter());
        standard.setTypeLocator(
                new StandardTypeLocator(place.method().getDeclaringClass().getClassLoader()));
        return new Shared(standard, variables.positions());
    }

    @Override
    public TypedValue getRootObject() {
        return new TypedValue(root);
    }

    @Override
    public @Nullable Object lookupVariable(String name) {
        Integer position = shared.positions.get(name);
        return position == null ? null : root.getArgs()[position];
    }

    @Override
    public boolean isAssignmentEnabled() {
        return false;
    }

    @Override
    public void setVariable(String name, @Nullable Object value) {
        throw new UnsupportedOperationException("Lock expressions cannot set variables: #" + name);
    }

    @Override
    public List<PropertyAccessor> getPropertyAccessors() {
        return shared.standard.getPropertyAccessors();
    }

    @Override
    public List<IndexAccessor> getIndexAccessors() {
        return shared.standard.getIndexAccessors();
    }

    @Override
    public List<ConstructorResolver> getConstructorResolvers() {
        return shared.standard.getConstructorResolvers();
    }

    @Override
    public List<MethodResolver> getMethodResolvers() {
        return shared.standard.getMethodResolvers();
    }

    @Override
    public @Nullable BeanResolver getBeanResolver() {
        return shared.standard.getBeanResolver();
    }

    @Override
    public TypeLocator getTypeLocator() {
        return shared.standard.getTypeLocator();
    }

    @Override
    public TypeConverter getTypeConverter() {
        return shared.standard.getTypeConverter();
    }

    @Override
    public TypeComparator getTypeComparator() {
        return shared.standard.getTypeComparator();
    }

    @Override
    public OperatorOverloader getOperatorOverloader() {
        return shared.standard.getOperatorOverloader();
    }
}
