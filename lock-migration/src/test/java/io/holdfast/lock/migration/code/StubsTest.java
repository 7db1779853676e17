package io.holdfast.lock.migration.code;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.migration.Recipes;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.openrewrite.java.tree.J;

/** The stubs have nothing that Holdfast does not have. */
class StubsTest {

    private static final Map<String, String> TYPES = Stream.of(
                    Templates.ANNOTATION,
                    Templates.ON_ONE_INSTANCE,
                    Templates.ON_CONTENTION,
                    Templates.LOCK_CONTEXT,
                    Templates.LOCK_TEMPLATE,
                    Templates.LOCK_REQUEST,
                    Templates.LOCK_HANDLE,
                    Templates.LOCK,
                    Templates.READ_WRITE_LOCK,
                    Templates.REGISTRY,
                    "io.holdfast.lock.api.LockKey")
            .collect(Collectors.toMap(name -> name.substring(name.lastIndexOf('.') + 1), Function.identity()));

    static Stream<String> stubs() {
        return Templates.STUBS.stream();
    }

    @ParameterizedTest
    @MethodSource("stubs")
    void methods_are_those_of_the_api(String stub) throws ClassNotFoundException {
        Class<?> type = Class.forName(TYPES.get(stub));
        J.CompilationUnit source = (J.CompilationUnit)
                Recipes.parser().build().parse(Templates.stub(stub)).findFirst().orElseThrow();
        J.ClassDeclaration declared = source.getClasses().get(0);

        assertThat(source.getPackageDeclaration().getPackageName()).isEqualTo(type.getPackageName());
        assertThat(declared.getBody().getStatements().stream()
                        .filter(J.MethodDeclaration.class::isInstance)
                        .map(J.MethodDeclaration.class::cast)
                        .filter(method -> !method.isConstructor())
                        .map(method -> method.getSimpleName() + parameters(method)))
                .isSubsetOf(Arrays.stream(type.getMethods())
                        .map(method -> method.getName() + method.getParameterCount())
                        .toList());
    }

    private static long parameters(J.MethodDeclaration method) {
        return method.getParameters().stream()
                .filter(J.VariableDeclarations.class::isInstance)
                .count();
    }
}
