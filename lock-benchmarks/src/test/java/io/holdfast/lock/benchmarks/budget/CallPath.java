package io.holdfast.lock.benchmarks.budget;

import java.lang.instrument.Instrumentation;
import java.util.LinkedHashSet;
import java.util.Set;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.agent.builder.AgentBuilder.RedefinitionStrategy;
import net.bytebuddy.agent.builder.ResettableClassFileTransformer;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.matcher.ElementMatchers;
import org.jspecify.annotations.Nullable;

/**
 * Records the classes of Holdfast whose methods the calling thread executes. Meanwhile each method of the library reports
 * itself; what other threads do meanwhile does not count. Nested classes and
 * lambdas belong to the class of their file: that is what a reader opens.
 */
final class CallPath {

    /** What the methods of the library call. It is public because they are elsewhere. */
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

    /** What is to be recorded. */
    interface Call {
        void run() throws Exception;
    }

    private static final String LIBRARY = "io.holdfast.lock.";

    private CallPath() {}

    /**
     * The classes of one call, those of {@code api} excepted, in the order of their first method.
     *
     * @param call was made often enough before that it loads no class
     * @param times how often it is made again; the shortest path counts
     */
    static Set<String> of(Call call, int times) throws Exception {
        Instrumentation instrumentation = ByteBuddyAgent.install();
        ResettableClassFileTransformer transformer = new AgentBuilder.Default()
                .disableClassFormatChanges()
                .with(RedefinitionStrategy.RETRANSFORMATION)
                .with(AgentBuilder.Listener.StreamWriting.toSystemError().withErrorsOnly())
                .type(ElementMatchers.<TypeDescription>nameStartsWith(LIBRARY)
                        .and(ElementMatchers.not(ElementMatchers.nameStartsWith(LIBRARY + "api.")))
                        .and(ElementMatchers.not(ElementMatchers.nameStartsWith(LIBRARY + "testing.")))
                        .and(ElementMatchers.not(ElementMatchers.nameStartsWith(LIBRARY + "benchmarks."))))
                .transform((builder, type, loader, module, domain) -> builder.visit(
                        Advice.to(Entry.class).on(ElementMatchers.isMethod().or(ElementMatchers.isConstructor()))))
                .installOn(instrumentation);
        try {
            Set<String> shortest = record(call);
            for (int i = 1; i < times; i++) {
                Set<String> again = record(call);
                shortest = again.size() < shortest.size() ? again : shortest;
            }
            return shortest;
        } finally {
            transformer.reset(instrumentation, RedefinitionStrategy.RETRANSFORMATION);
        }
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
