package io.holdfast.lock.spring.result.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockNotAcquiredException;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.engine.LockEngine;
import io.holdfast.lock.spring.Runners;
import io.holdfast.lock.spring.result.page.Payments.Receipt;
import io.holdfast.lock.store.LockStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** What the page about asynchronous methods shows is compiled, and called as WebFlux calls it, on an event loop. */
class AsyncPageTest {

    private static final String FENCE = "```";
    private static final Path PAGE = Path.of("..", "docs", "reference", "async.md");
    private static final Path FOLDER = Path.of("src/test/java/io/holdfast/lock/spring/result/page");

    @Test
    void code_of_the_page_is_compiled() throws IOException {
        List<String> compiled = new ArrayList<>(lines(FOLDER.resolve("Payments.java")));
        compiled.addAll(lines(FOLDER.resolve("PaymentController.java")));
        List<String> shown = new ArrayList<>();
        boolean inside = false;
        for (String line : lines(PAGE)) {
            inside = line.startsWith(FENCE) ? line.equals(FENCE + "java") : inside;
            if (inside && !line.startsWith(FENCE)) {
                shown.add(line);
            }
        }

        assertThat(shown).hasSizeGreaterThan(15);
        assertThat(compiled).containsAll(shown);
    }

    private static List<String> lines(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .map(line -> line.strip().replaceAll(" +//", " //"))
                .filter(line -> !line.isEmpty())
                .toList();
    }

    @Test
    void order_is_paid_under_its_lock_and_refused_while_it_is_locked() {
        Runners.inMemory()
                .withBean(Ledger.class)
                .withBean(Payments.class)
                .withBean(PaymentController.class)
                .run(context -> {
                    var controller = context.getBean(PaymentController.class);
                    Mono<Receipt> request = Mono.defer(() -> controller.pay(42)).subscribeOn(Schedulers.parallel());

                    assertThat(request.block(Duration.ofSeconds(30))).satisfies(receipt -> {
                        assertThat(receipt.order()).isEqualTo("order 42");
                        assertThat(receipt.token()).isPositive();
                    });
                    try (LockEngine other = LockEngine.builder(context.getBean(LockStore.class))
                                    .build();
                            var held = other.acquire("order:42")) {
                        assertThat(held.isHeld()).isTrue();
                        assertThatThrownBy(request::block).isInstanceOf(LockNotAcquiredException.class);
                    }
                    assertThat(context.getBean(LockTemplate.class)
                                    .inspect("order:42")
                                    .isHeld())
                            .isFalse();
                });
    }

    static final class Ledger implements Payments.Ledger {

        @Override
        public Mono<String> find(long id) {
            return Mono.just("order " + id);
        }

        @Override
        public Mono<Receipt> book(String order, long token) {
            return Mono.just(new Receipt(order, token));
        }

        @Override
        public CompletableFuture<Receipt> refund(long id) {
            return CompletableFuture.completedFuture(new Receipt("refund " + id, 0));
        }

        @Override
        public void archive(long id) {}
    }
}
