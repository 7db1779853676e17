package io.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/** The API of certain packages that users can compile against, as text: one line for each type, and one for each of its members. */
public final class PublicApi {

    private PublicApi() {}

    /**
     * Fails if the API differs from the file.
     *
     * @param file the API as committed; rewritten if the system property {@code public-api.write} is true
     * @param packages the packages, without their subpackages
     */
    public static void assertIs(Path file, Collection<String> packages) {
        List<String> actual = lines(packages);
        try {
            if (Boolean.getBoolean("public-api.write")) {
                Files.write(file, actual);
            }
            assertThat(actual)
                    .as(
                            "The public API has changed. If that is intended, run this test with -Dpublic-api.write=true, commit %s,"
                                    + " and tell users in CHANGELOG.md",
                            file)
                    .containsExactlyElementsOf(Files.readAllLines(file, StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> lines(Collection<String> packages) {
        return new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS).importPackages(packages).stream()
                        .filter(type -> packages.contains(type.getPackageName()) && isPublic(type))
                        .map(JavaClass::reflect)
                        .flatMap(PublicApi::lines)
                        .sorted()
                        .toList();
    }

    /** A type nested in a type that is not public cannot be referenced. */
    private static boolean isPublic(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(PublicApi::isPublic).orElse(true);
    }

    private static Stream<String> lines(Class<?> type) {
        Stream<String> members = Stream.concat(
                        Arrays.stream(type.getDeclaredConstructors()),
                        withHidden(type).stream()
                                .flatMap(
                                        each -> Stream.<Member[]>of(each.getDeclaredMethods(), each.getDeclaredFields())
                                                .flatMap(Arrays::stream)))
                .filter(member -> !member.isSynthetic())
                .filter(member -> (member.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0)
                .map(member -> text(member)
                        .replace(
                                shortened(member.getDeclaringClass().getName()) + ".",
                                shortened(type.getName()) + "."));
        Class<?> last = withHidden(type).get(withHidden(type).size() - 1);
        String supertypes = Stream.concat(
                        Stream.ofNullable(last.getGenericSuperclass()), Arrays.stream(type.getGenericInterfaces()))
                .map(each -> shortened(each.getTypeName()))
                .toList()
                .toString();
        return Stream.concat(Stream.of(header(type) + " of " + supertypes), members)
                .map(line -> shortened(type.getName()) + ": " + line);
    }

    /** {@return the type, and its superclasses that are not public, whose members users see as its own} */
    private static List<Class<?>> withHidden(Class<?> type) {
        Class<?> parent = type.getSuperclass();
        return parent == null || Modifier.isPublic(parent.getModifiers())
                ? List.of(type)
                : Stream.concat(Stream.of(type), withHidden(parent).stream()).toList();
    }

    /** {@return the declaration, in the same form on every JDK: JDK 17 does not print {@code sealed}, later ones do} */
    private static String header(Class<?> type) {
        String header =
                shortened(type.toGenericString()).replace("non-sealed ", "").replace("sealed ", "");
        return type.isSealed() ? "sealed " + header : header;
    }

    private static String text(Member member) {
        return shortened(
                member instanceof Executable method ? method.toGenericString() : ((Field) member).toGenericString());
    }

    private static String shortened(String text) {
        return text.replace("io.holdfast.lock.", "").replace("java.lang.", "").replace("java.util.", "");
    }
}
