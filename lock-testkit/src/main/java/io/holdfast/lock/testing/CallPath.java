package io.holdfast.lock.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.instrument.Instrumentation;
import java.security.ProtectionDomain;
import java.util.LinkedHashSet;
import java.util.Set;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.agent.builder.AgentBuilder.RedefinitionStrategy;
import net.bytebuddy.agent.builder.ResettableClassFileTransformer;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.matcher.ElementMatchers;
import org.jspecify.annotations.Nullable;

/**
 * Records the classes of Holdfast whose methods the calling thread executes, by an agent that makes each method report itself.
 * What other threads execute does not count. Nested classes and lambdas count as the class of their file, which is what a reader
 * opens.
 */
public final class CallPath {

    /** Called by the methods of the library, so it is public. */
    public static final class Recorder {

        private static volatile @Nullable Thread recorded;
        private static final Set<String> CLASSES = new LinkedHashSet<>();

        private Recorder() {}

        public static void enter(String type) {
            if (Thread.currentThread() == recorded) {
                int nested = type.indexOf('$');
                CLASSES.add(nested < 0 ? type : type.substring(0, nested));
            }
        }
    }

    /** The beginning of each method. */
    private static final class Entry {

        private Entry() {}

        @Advice.OnMethodEnter(inline = true)
        static void enter(@Advice.Origin("#t") String type) {
            Recorder.enter(type);
        }
    }

    /** The call to record. */
    public interface Call {
        void run() throws Exception;
    }

    private static final String LIBRARY = "io.holdfast.lock.";

    private static final int WARM_UP = 20;

    /** The shortest path of these counts: a machine that stops for a moment may add to one. */
    private static final int RECORDED = 3;

    private CallPath() {}

    /**
     * Redefines classes, since JDK 17 drops the names of parameters from a class that it retransforms, and later tests in the same
     * JVM need them. Redefined classes would lack what JaCoCo has added to them, so the test is skipped with it.
     *
     * @param call run several times
     * @return the classes that a warm call crosses, except those of {@code api} and of tests, in the order of their first method
     */
    public static Set<String> of(Call call) throws Exception {
        assumeTrue(ClassLoader.getSystemResource("org/jacoco/agent/rt/RT.class") == null, "JaCoCo is running");
        for (int i = 0; i < WARM_UP; i++) {
            call.run();
        }
        Instrumentation instrumentation = ByteBuddyAgent.install();
        ResettableClassFileTransformer transformer = new AgentBuilder.Default()
                .disableClassFormatChanges()
                .with(RedefinitionStrategy.REDEFINITION)
                .with(AgentBuilder.Listener.StreamWriting.toSystemError().withErrorsOnly())
                .type((type, loader, module, redefined, domain) -> isRecorded(type.getName()) && !isTest(domain))
                .transform((builder, type, loader, module, domain) -> builder.visit(
                        Advice.to(Entry.class).on(ElementMatchers.isMethod().or(ElementMatchers.isConstructor()))))
                .installOn(instrumentation);
        try {
            Set<String> shortest = record(call);
            for (int i = 1; i < RECORDED; i++) {
                Set<String> again = record(call);
                shortest = again.size() < shortest.size() ? again : shortest;
            }
            return shortest;
        } finally {
            transformer.reset(instrumentation, RedefinitionStrategy.REDEFINITION);
        }
    }

    private static boolean isRecorded(String type) {
        return type.startsWith(LIBRARY) && !type.startsWith(LIBRARY + "api.") && !type.startsWith(LIBRARY + "testing.");
    }

    private static boolean isTest(@Nullable ProtectionDomain domain) {
        return domain != null
                && domain.getCodeSource() != null
                && domain.getCodeSource().getLocation().getPath().endsWith("/test-classes/");
    }

    private static Set<String> record(Call call) throws Exception {
        Recorder.CLASSES.clear();
        Recorder.recorded = Thread.currentThread();
        try {
            call.run();
        } finally {
            Recorder.recorded = null;
        }
        return new LinkedHashSet<>(Recorder.CLASSES);
    }
}
