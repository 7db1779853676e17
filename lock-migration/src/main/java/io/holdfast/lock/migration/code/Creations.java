package io.holdfast.lock.migration.code;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/**
 * Finds the classes to which code passes an object of a certain type, in a bean method or in a test, where it may be a mock: they cannot
 * take another object instead. The map contains the name of each such class, and the name of the class that creates it.
 */
public final class Creations extends JavaIsoVisitor<Map<String, String>> {

    /** Annotations of Mockito and others, which create the object in the field from the mocks beside it. */
    private static final Set<String> INJECTS_MOCKS = Set.of("InjectMocks", "Tested", "InjectMockKs");

    private final String given;

    public Creations(String given) {
        this.given = given;
    }

    @Override
    public J.NewClass visitNewClass(J.NewClass creation, Map<String, String> classes) {
        if (creation.getArguments().stream().anyMatch(each -> TypeUtils.isAssignableTo(given, each.getType()))) {
            add(creation.getType(), classes);
        }
        return super.visitNewClass(creation, classes);
    }

    /** {@code super(client)} */
    @Override
    public J.MethodInvocation visitMethodInvocation(J.MethodInvocation call, Map<String, String> classes) {
        if (call.getSimpleName().equals("super")
                && call.getMethodType() != null
                && call.getArguments().stream().anyMatch(each -> TypeUtils.isAssignableTo(given, each.getType()))) {
            add(call.getMethodType().getDeclaringType(), classes);
        }
        return super.visitMethodInvocation(call, classes);
    }

    @Override
    public J.MemberReference visitMemberReference(J.MemberReference reference, Map<String, String> classes) {
        if (reference.getReference().getSimpleName().equals("new")) {
            add(reference.getContaining().getType(), classes);
        }
        return super.visitMemberReference(reference, classes);
    }

    @Override
    public J.VariableDeclarations visitVariableDeclarations(J.VariableDeclarations field, Map<String, String> classes) {
        if (isAnnotated(field.getLeadingAnnotations()) && usesGiven()) {
            add(field.getType(), classes);
        }
        return super.visitVariableDeclarations(field, classes);
    }

    private static boolean isAnnotated(List<J.Annotation> annotations) {
        return annotations.stream().anyMatch(each -> INJECTS_MOCKS.contains(each.getSimpleName()));
    }

    private boolean usesGiven() {
        return getCursor().firstEnclosingOrThrow(JavaSourceFile.class).getTypesInUse().getTypesInUse().stream()
                .anyMatch(each -> TypeUtils.isOfClassType(each, given));
    }

    private void add(@Nullable JavaType type, Map<String, String> classes) {
        JavaType.FullyQualified created = TypeUtils.asFullyQualified(type);
        J.ClassDeclaration creator = getCursor().firstEnclosing(J.ClassDeclaration.class);
        if (created != null) {
            classes.putIfAbsent(
                    created.getFullyQualifiedName(), creator == null ? "other code" : creator.getSimpleName());
        }
    }
}
