package io.holdfast.lock.migration.code;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/** Simple names of types in a source file. */
public final class Names {

    private Names() {}

    /**
     * The name that a type of the file has, and one of these types as well: the file cannot import it then.
     *
     * @param file the source file
     * @param former the type of the former library that is replaced
     * @param types the names of the types to import
     */
    public static Optional<String> taken(JavaSourceFile file, String former, List<String> types) {
        Set<String> imported = Set.copyOf(types);
        Set<String> simple = types.stream().map(Names::simple).collect(Collectors.toSet());
        return Stream.concat(file.getTypesInUse().getTypesInUse().stream(), declared(file))
                .map(TypeUtils::asFullyQualified)
                .filter(each -> each != null && !imported.contains(each.getFullyQualifiedName()))
                .map(JavaType.FullyQualified::getFullyQualifiedName)
                .filter(each -> !each.equals(former) && simple.contains(simple(each)))
                .map(Names::simple)
                .findFirst();
    }

    private static Stream<JavaType> declared(JavaSourceFile file) {
        Stream.Builder<JavaType> found = Stream.builder();
        new JavaIsoVisitor<Integer>() {
            @Override
            public J.ClassDeclaration visitClassDeclaration(J.ClassDeclaration type, Integer p) {
                if (type.getType() != null) {
                    found.add(type.getType());
                }
                return super.visitClassDeclaration(type, p);
            }
        }.visit(file, 0);
        return found.build();
    }

    private static String simple(String name) {
        return name.substring(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1);
    }
}
