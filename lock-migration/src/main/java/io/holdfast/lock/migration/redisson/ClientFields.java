package io.holdfast.lock.migration.redisson;

import io.holdfast.lock.migration.code.Variables;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Statement;

/** Finds the fields that an application context sets to Redisson's client: it can set them to Holdfast's template as well. */
final class ClientFields extends JavaIsoVisitor<Map<String, ClientField>> {

    private static final Set<String> INJECTED = Set.of("Autowired", "Inject", "Resource");
    private static final Set<String> GENERATED = Set.of("RequiredArgsConstructor", "AllArgsConstructor");

    private final Set<String> created;

    private ClientFields(Set<String> created) {
        this.created = created;
    }

    /**
     * The fields of a file by their ids.
     *
     * @param created the names of the classes to which code passes a client
     */
    static Map<String, ClientField> in(JavaSourceFile file, Set<String> created) {
        Map<String, ClientField> found = new HashMap<>();
        new ClientFields(created).visit(file, found);
        return found;
    }

    @Override
    public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration type, Map<String, ClientField> found) {
        for (Statement each : type.getBody().getStatements()) {
            if (each instanceof J.VariableDeclarations field && isClient(field)) {
                JavaType.Variable variable = field.getVariables().get(0).getVariableType();
                if (variable != null) {
                    field(type, field, variable).ifPresent(client -> found.put(client.id(), client));
                }
            }
        }
        return super.visitClassDeclaration(type, found);
    }

    private static boolean isClient(J.VariableDeclarations field) {
        return RedissonTypes.isClient(field.getType())
                && field.getVariables().size() == 1
                && field.getVariables().get(0).getInitializer() == null
                && !field.hasModifier(J.Modifier.Type.Static)
                && hasPlainAnnotations(field);
    }

    /** An annotation with arguments, such as a qualifier, names the client. */
    private static boolean hasPlainAnnotations(J.VariableDeclarations variable) {
        return variable.getLeadingAnnotations().stream()
                .allMatch(each ->
                        each.getArguments() == null || each.getArguments().isEmpty());
    }

    private Optional<ClientField> field(
            J.ClassDeclaration type, J.VariableDeclarations field, JavaType.Variable variable) {
        List<J.MethodDeclaration> constructors = type.getBody().getStatements().stream()
                .filter(J.MethodDeclaration.class::isInstance)
                .map(J.MethodDeclaration.class::cast)
                .filter(J.MethodDeclaration::isConstructor)
                .toList();
        Set<String> parameters = new HashSet<>();
        constructors.forEach(each -> parameter(each, variable).ifPresent(parameters::add));
        boolean bySpring = isAnnotated(field.getLeadingAnnotations(), INJECTED);
        boolean byLombok =
                isAnnotated(type.getLeadingAnnotations(), GENERATED) && field.hasModifier(J.Modifier.Type.Final);
        boolean byConstructors = !constructors.isEmpty() && parameters.size() == constructors.size();
        boolean byContext =
                type.getType() == null || !created.contains(type.getType().getFullyQualifiedName());
        return byContext && (bySpring || byLombok || byConstructors)
                ? Optional.of(
                        new ClientField(Variables.id(variable), parameters, field.hasModifier(J.Modifier.Type.Private)))
                : Optional.empty();
    }

    private static boolean isAnnotated(List<J.Annotation> annotations, Set<String> names) {
        return annotations.stream().anyMatch(each -> names.contains(each.getSimpleName()));
    }

    private static Optional<String> parameter(J.MethodDeclaration constructor, JavaType.Variable field) {
        if (constructor.getBody() == null) {
            return Optional.empty();
        }
        return constructor.getBody().getStatements().stream()
                .filter(each -> each instanceof J.Assignment assignment
                        && Variables.isSame(Variables.of(assignment.getVariable()), field))
                .map(each -> Variables.of(((J.Assignment) each).getAssignment()))
                .filter(value -> value != null && isPlainParameter(constructor, value))
                .map(Variables::id)
                .findFirst();
    }

    private static boolean isPlainParameter(J.MethodDeclaration constructor, JavaType.Variable value) {
        return constructor.getParameters().stream()
                .anyMatch(each -> each instanceof J.VariableDeclarations parameter
                        && Variables.isSame(parameter.getVariables().get(0).getVariableType(), value)
                        && hasPlainAnnotations(parameter));
    }
}
