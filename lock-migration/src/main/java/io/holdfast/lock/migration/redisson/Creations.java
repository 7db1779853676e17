package io.holdfast.lock.migration.redisson;

import java.util.Set;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/** Finds the classes that code creates with a client, in a bean method or in a test: their constructors have to stay as they are. */
final class Creations extends JavaIsoVisitor<Set<String>> {

    @Override
    public J.NewClass visitNewClass(J.NewClass creation, Set<String> classes) {
        JavaType.FullyQualified type = TypeUtils.asFullyQualified(creation.getType());
        if (type != null
                && creation.getArguments().stream()
                        .anyMatch(each -> TypeUtils.isAssignableTo(RedissonTypes.CLIENT, each.getType()))) {
            classes.add(type.getFullyQualifiedName());
        }
        return super.visitNewClass(creation, classes);
    }
}
