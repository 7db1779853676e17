package io.holdfast.lock.migration.redisson;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeTree;
import org.openrewrite.java.tree.TypeUtils;

/** Finds the classes that code creates with a client, in a bean method or in a test: their constructors have to stay as they are. */
final class Creations extends JavaIsoVisitor<Set<String>> {

    @Override
    public J.NewClass visitNewClass(J.NewClass creation, Set<String> classes) {
        JavaType.FullyQualified type = created(creation);
        if (type != null
                && creation.getArguments().stream()
                        .anyMatch(each -> TypeUtils.isAssignableTo(RedissonTypes.CLIENT, each.getType()))) {
            classes.add(type.getFullyQualifiedName());
        }
        return super.visitNewClass(creation, classes);
    }

    /** Of the name if it is not known what is called: Lombok may generate the constructor. */
    private static JavaType.@Nullable FullyQualified created(J.NewClass creation) {
        JavaType.FullyQualified type = TypeUtils.asFullyQualified(creation.getType());
        TypeTree name = creation.getClazz();
        return type != null || name == null ? type : TypeUtils.asFullyQualified(name.getType());
    }
}
