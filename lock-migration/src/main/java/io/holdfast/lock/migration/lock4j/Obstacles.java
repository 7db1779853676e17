package io.holdfast.lock.migration.lock4j;

import io.holdfast.lock.migration.code.Attributes;
import io.holdfast.lock.migration.code.Constants;
import io.holdfast.lock.migration.code.Names;
import io.holdfast.lock.migration.code.Note;
import io.holdfast.lock.migration.code.Templates;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.openrewrite.java.JavaIsoVisitor;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;
import org.openrewrite.java.tree.JavaSourceFile;
import org.openrewrite.java.tree.JavaType;
import org.openrewrite.java.tree.TypeUtils;

/** What keeps a {@code @Lock4j} from being migrated: classes of the application that Holdfast cannot call. */
final class Obstacles {

    private static final String STILL = "this method is still locked by Lock4j: ";
    private static final String NOTHING_ELSE = "lock4j.md#what-else-is-different";

    private static final Set<String> ATTRIBUTES = Set.of(
            "name",
            "keys",
            "expire",
            "acquireTimeout",
            "autoRelease",
            "failStrategy",
            "keyBuilderStrategy",
            "executor");
    static final Set<String> WITH_COUNTERPART = Set.of(
            "com.baomidou.lock.LockFailureStrategy",
            "com.baomidou.lock.DefaultLockFailureStrategy",
            "com.baomidou.lock.LockKeyBuilder",
            "com.baomidou.lock.DefaultLockKeyBuilder",
            "com.baomidou.lock.executor.LockExecutor",
            "com.baomidou.lock.executor.RedisTemplateLockExecutor",
            "com.baomidou.lock.executor.RedissonLockExecutor");

    private final Attributes former;
    private final JavaSourceFile file;
    private final List<Note> notes = new ArrayList<>();

    private Obstacles(Attributes former, JavaSourceFile file) {
        this.former = former;
        this.file = file;
    }

    static List<Note> in(Attributes former, JavaSourceFile file) {
        Obstacles obstacles = new Obstacles(former, file);
        obstacles.findAll();
        return obstacles.notes;
    }

    private void findAll() {
        Names.taken(file, "", List.of(Templates.ANNOTATION, Templates.ON_CONTENTION, Templates.TIME_UNIT))
                .ifPresent(name -> addIf(true, name + " is the name of another type in this file", NOTHING_ELSE));
        former.names().stream()
                .filter(each -> !ATTRIBUTES.contains(each))
                .forEach(each -> addIf(true, "migrate its " + each, NOTHING_ELSE));
        addIf(names("failStrategy") && !skips(former, file), "migrate its failStrategy", "lock4j.md#failstrategy");
        addIf(names("keyBuilderStrategy"), "migrate its keyBuilderStrategy", "lock4j.md#keybuilderstrategy");
        addIf(names("executor"), "an application has one store, not an executor per method", NOTHING_ELSE);
        addIf(
                !Keys.of(former, file).canBeJoined(),
                "join its keys with parts(…), with the text of constants from other files",
                "lock4j.md#keys-expire-acquiretimeout");
        Times times = Times.of(former, file);
        addIf(times.isTooShort(), "a lease must last at least 100 ms", "lock4j.md#keys-expire-acquiretimeout");
        addIf(
                !isReleased(former) && times.expire().isEmpty(),
                "specify for how long it keeps others out",
                "lock4j.md#autorelease--false");
        addIf(
                former.get("name")
                        .flatMap(name -> Constants.text(name, file))
                        .filter(name -> name.contains(":"))
                        .isPresent(),
                "a name must not contain a colon",
                "lock4j.md#keys-expire-acquiretimeout");
    }

    private void addIf(boolean found, String reason, String page) {
        if (found) {
            notes.add(new Note(STILL + reason, page));
        }
    }

    /** Whether it names anything but the default, which is the interface itself, or a class that does the same as Holdfast. */
    private boolean names(String attribute) {
        return former.get(attribute).filter(given -> !hasCounterpart(given)).isPresent();
    }

    static boolean hasCounterpart(Expression literal) {
        JavaType.FullyQualified named = named(literal);
        return named != null && WITH_COUNTERPART.contains(named.getFullyQualifiedName());
    }

    private static JavaType.@Nullable FullyQualified named(Expression literal) {
        return literal instanceof J.FieldAccess access
                ? TypeUtils.asFullyQualified(access.getTarget().getType())
                : null;
    }

    static boolean isReleased(Attributes former) {
        return former.get("autoRelease")
                .filter(released -> released instanceof J.Literal literal && Boolean.FALSE.equals(literal.getValue()))
                .isEmpty();
    }

    /** Whether the strategy does nothing, so that the method returns null. */
    static boolean skips(Attributes former, JavaSourceFile file) {
        JavaType.FullyQualified strategy =
                former.get("failStrategy").map(Obstacles::named).orElse(null);
        if (strategy == null) {
            return false;
        }
        boolean[] empty = {false};
        new JavaIsoVisitor<Integer>() {
            @Override
            public J.MethodDeclaration visitMethodDeclaration(J.MethodDeclaration method, Integer p) {
                J.ClassDeclaration owner = getCursor().firstEnclosingOrThrow(J.ClassDeclaration.class);
                if (method.getSimpleName().equals("onLockFailure")
                        && TypeUtils.isOfType(owner.getType(), strategy)
                        && method.getBody() != null) {
                    empty[0] = method.getBody().getStatements().isEmpty();
                }
                return super.visitMethodDeclaration(method, p);
            }
        }.visit(file, 0);
        return empty[0];
    }
}
