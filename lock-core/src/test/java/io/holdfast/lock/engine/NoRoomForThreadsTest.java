package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.testing.NoRoomForThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** For a moment no thread can be started, at each place that starts one in turn. Nothing is lost, and nobody has to come again. */
@Timeout(120)
class NoRoomForThreadsTest {

    private static final Pattern NAME = Pattern.compile("\"(holdfast-[a-z-]+)\"");

    /**
     * These are started by the stores for Redis, see {@code NoRoomForSubscriptionTest} and {@code SlotChannelsTest}; and the timer thread
     * starts the others.
     */
    private static final Set<String> ELSEWHERE = Set.of(
            "holdfast-wakeups",
            "holdfast-wakeups-check",
            "holdfast-wakeups-slots",
            "holdfast-topology",
            "holdfast-connect",
            "holdfast-timer");

    /** A thread for virtual time only; one for a client that is being closed; and those that nobody waits for. */
    private static final Set<String> SPECIAL =
            Set.of("holdfast-timeouts", "holdfast-acquire", "holdfast-host", "holdfast-profile");

    @ParameterizedTest
    @EnumSource
    void nothing_is_lost_and_it_goes_on_by_itself(Scene scene) throws Exception {
        try (var clients = new Scene.Clients()) {
            scene.prepare(clients);
            BooleanSupplier through;
            if (scene.threads.isEmpty()) {
                through = scene.begin(clients);
            } else {
                try (var none = NoRoomForThreads.named(scene.threads)) {
                    through = scene.begin(clients);
                    none.awaitRefusal();
                }
            }

            Awaitility.await().atMost(1, TimeUnit.MINUTES).until(through::getAsBoolean);
        }
    }

    @Test
    void there_is_a_scene_for_each_thread_of_the_library() throws IOException {
        Set<String> tested = Arrays.stream(Scene.values())
                .map(scene -> scene.threads)
                .collect(Collectors.toCollection(TreeSet::new));
        tested.addAll(ELSEWHERE);
        tested.addAll(SPECIAL);

        assertThat(threadsInTheCode())
                .isNotEmpty()
                .allSatisfy(name -> assertThat(tested).contains(name));
    }

    private static Set<String> threadsInTheCode() throws IOException {
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.walk(Path.of("src/main/java"))) {
            for (Path file :
                    files.filter(each -> each.toString().endsWith(".java")).toList()) {
                Matcher name = NAME.matcher(Files.readString(file));
                while (name.find()) {
                    names.add(name.group(1));
                }
            }
        }
        return names;
    }
}
