package io.holdfast.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockResult;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.api.LockedFunction;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** What a call of the template may look like: none of them is ambiguous, and each does what it says. */
class CallFormsTest extends EngineFixture {

    private final LockRequest request = LockRequest.of(KEY);
    private final LockTemplate template = locks;
    private final List<String> done = new ArrayList<>();

    private void work() {
        assertThat(locks.held()).hasSize(1);
        done.add("work");
    }

    private int number() {
        work();
        return 7;
    }

    private void workWith(LockHandle lock) {
        assertThat(lock.isHeld()).isTrue();
        work();
    }

    private int numberWith(LockHandle lock) {
        workWith(lock);
        return 7;
    }

    private void failing() throws IOException {
        work();
        throw new IOException("mine");
    }

    private void isDone(int times) {
        assertThat(done).hasSize(times);
        assertThat(isFree()).isTrue();
        done.clear();
    }

    @Test
    void work_without_a_result() throws Exception {
        template.execute(KEY, () -> work());
        template.execute(KEY, this::work);
        template.execute(KEY, () -> {
            work();
        });
        template.execute(request, () -> work());
        assertThat(template.tryExecute(KEY, () -> work()).executed()).isTrue();
        assertThat(template.tryExecute(request, this::work).executed()).isTrue();
        isDone(6);
    }

    @Test
    void work_with_a_result() {
        int first = template.execute(KEY, () -> number());
        int second = template.execute(KEY, this::number);
        int third = template.execute(request, () -> {
            work();
            return 7;
        });
        LockResult<Integer> fourth = template.tryExecute(KEY, this::number);
        assertThat(List.of(first, second, third, fourth.orElseGet(() -> 0))).containsOnly(7);
        isDone(4);
    }

    @Test
    void work_that_is_given_the_lock() {
        template.execute(KEY, lock -> {
            workWith(lock);
        });
        template.execute(request, lock -> {
            lock.ensureHeld();
            workWith(lock);
        });
        template.execute(KEY, this::workWith);
        template.execute(request, this::workWith);
        template.tryExecute(KEY, lock -> {
            workWith(lock);
        });
        template.tryExecute(request, this::workWith);
        isDone(6);
    }

    @Test
    void work_that_is_given_the_lock_and_has_a_result() {
        int first = template.execute(KEY, lock -> numberWith(lock));
        int second = template.execute(KEY, this::numberWith);
        int third = template.execute(request, lock -> {
            return numberWith(lock);
        });
        LockResult<Integer> fourth = template.tryExecute(KEY, lock -> numberWith(lock));
        LockedFunction<Integer, RuntimeException> variable = this::numberWith;
        int fifth = template.execute(KEY, variable);
        assertThat(List.of(first, second, third, fourth.orElseGet(() -> 0), fifth))
                .containsOnly(7);
        isDone(5);
    }

    @Test
    void work_that_throws_what_it_declares() {
        assertThatThrownBy(() -> template.execute(KEY, () -> failing())).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> template.execute(KEY, lock -> {
                    failing();
                }))
                .isInstanceOf(IOException.class);
        assertThatThrownBy(() -> template.execute(request, lock -> {
                    throw new IOException("mine");
                }))
                .isInstanceOf(IOException.class);
        assertThat(isFree()).isTrue();
    }

    @Test
    void work_in_a_variable_of_another_type() throws Exception {
        Runnable runnable = this::work;
        Supplier<Integer> supplier = this::number;
        Callable<Integer> callable = this::number;

        template.execute(KEY, runnable::run);
        assertThat((int) template.execute(KEY, supplier::get)).isEqualTo(7);
        assertThat((int) template.execute(KEY, callable::call)).isEqualTo(7);
        isDone(3);
    }

    @Test
    void work_that_goes_on() {
        int first = template.executeAsync(KEY, () -> CompletableFuture.completedFuture(number()))
                .join();
        int second = template.executeAsync(KEY, lock -> CompletableFuture.completedFuture(numberWith(lock)))
                .join();
        int third = template.executeAsync(request, lock -> CompletableFuture.completedFuture(numberWith(lock)))
                .join();
        assertThat(List.of(first, second, third)).containsOnly(7);
        isDone(3);
    }
}
