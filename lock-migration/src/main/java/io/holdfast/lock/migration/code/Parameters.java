package io.holdfast.lock.migration.code;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.openrewrite.Cursor;
import org.openrewrite.Tree;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.Space;
import org.openrewrite.java.tree.Statement;
import org.openrewrite.marker.Markers;

/** Parameters of methods, and changes to them. */
public final class Parameters {

    private Parameters() {}

    /** The parameters that the body of the method uses. */
    public static List<Statement> used(J.MethodDeclaration method) {
        return given(method).stream().filter(each -> isUsed(each, method)).toList();
    }

    /** The parameters, without the placeholder that stands for an empty list. */
    public static List<Statement> given(J.MethodDeclaration method) {
        return method.getParameters().stream()
                .filter(each -> !(each instanceof J.Empty))
                .toList();
    }

    private static boolean isUsed(Statement parameter, J.MethodDeclaration method) {
        if (!(parameter instanceof J.VariableDeclarations declaration) || method.getBody() == null) {
            return true;
        }
        JavaType.Variable variable = declaration.getVariables().get(0).getVariableType();
        boolean[] found = {false};
        new JavaIsoVisitor<Integer>() {
            @Override
            public J.Identifier visitIdentifier(J.Identifier name, Integer p) {
                found[0] |= Variables.isSame(name.getFieldType(), variable);
                return super.visitIdentifier(name, p);
            }
        }.visit(method.getBody(), 0);
        return found[0];
    }

    /** The method with the {@code LockTemplate} among its parameters. */
    public static J.MethodDeclaration withTemplate(
            J.MethodDeclaration method, Cursor cursor, List<Statement> others, int place, String name) {
        J.MethodDeclaration alone = Templates.of("LockTemplate " + name, Templates.LOCK_TEMPLATE)
                .apply(cursor, method.getCoordinates().replaceParameters());
        List<Statement> parameters = new ArrayList<>(others);
        parameters.add(place, alone.getParameters().get(0));
        for (int i = 0; i < parameters.size(); i++) {
            parameters.set(i, parameters.get(i).withPrefix(i == 0 ? Space.EMPTY : Space.SINGLE_SPACE));
        }
        return method.withParameters(parameters).withMethodType(typeOf(method, parameters));
    }

    /** The type of a method once it has these parameters. */
    public static JavaType.@Nullable Method typeOf(J.MethodDeclaration method, List<Statement> parameters) {
        List<JavaType> types = new ArrayList<>();
        List<String> names = new ArrayList<>();
        for (Statement each : parameters) {
            J.VariableDeclarations declaration = (J.VariableDeclarations) each;
            JavaType type = declaration.getType();
            types.add(type == null ? JavaType.Unknown.getInstance() : type);
            names.add(declaration.getVariables().get(0).getSimpleName());
        }
        JavaType.Method former = method.getMethodType();
        return former == null ? null : former.withParameterTypes(types).withParameterNames(names);
    }

    /** The name of a variable that holds the {@code LockTemplate}. */
    public static Expression template(String name, @Nullable JavaType owner) {
        JavaType type = JavaType.ShallowClass.build(Templates.LOCK_TEMPLATE);
        JavaType.Variable variable =
                new JavaType.Variable(null, 0, name, owner, type, (List<JavaType.FullyQualified>) null);
        return new J.Identifier(Tree.randomId(), Space.EMPTY, Markers.EMPTY, List.of(), name, type, variable);
    }
}
