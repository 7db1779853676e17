package io.holdfast.lock.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockTemplate;
import io.holdfast.lock.sample.SampleInstance.Answer;
import io.holdfast.lock.testing.RedisServerProcess;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.server.ResponseStatusException;

class ShopTest {

    @TempDir
    private static Path directory;

    private static RedisServerProcess redis;
    private static SampleInstance one;
    private static SampleInstance two;

    @BeforeAll
    static void start() {
        redis = RedisServerProcess.start();
        one = SampleInstance.start(directory, redis.port(), ShopTest::patientTerminal, "--holdfast.wait-for=1m");
        two = SampleInstance.start(directory, redis.port(), ShopTest::patientTerminal, "--holdfast.wait-for=1m");
    }

    @AfterAll
    static void stop() {
        two.close();
        one.close();
        redis.close();
    }

    private static void patientTerminal(GenericApplicationContext context) {
        context.registerBean(
                "patientTerminal", PatientTerminal.class, PatientTerminal::new, bean -> bean.setPrimary(true));
    }

    /** Waits for a second charge before it does the first: without the lock both are certain to happen. */
    static class PatientTerminal extends CardTerminal {

        private static final CountDownLatch TWO_CHARGES = new CountDownLatch(2);

        @Override
        void charge(long amountCents) {
            TWO_CHARGES.countDown();
            try {
                TWO_CHARGES.await(1, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Test
    void an_order_paid_on_two_instances_at_once_is_charged_once() {
        long order = place(1, 1);
        List<CompletableFuture<Answer>> calls = List.of(
                one.post("/orders/" + order + "/payment"),
                two.post("/orders/" + order + "/payment"),
                one.post("/orders/" + order + "/payment"),
                two.post("/orders/" + order + "/payment"));

        List<Answer> answers = calls.stream().map(CompletableFuture::join).toList();

        assertThat(answers).extracting(Answer::status).containsOnly(200);
        assertThat(answers.stream()
                        .filter(answer -> answer.json().get("charged").asBoolean()))
                .hasSize(1);
        assertThat(answers.stream().map(answer -> answer.json().get("paymentId").asLong()))
                .as("all answer with the same receipt")
                .containsOnly(answers.get(0).json().get("paymentId").asLong());
        assertThat(payments(order)).isEqualTo(1);
        assertThat(two.get("/orders/" + order).json().get("paid").asBoolean()).isTrue();
    }

    private static int payments(long order) {
        return one.bean(JdbcClient.class)
                .sql("SELECT COUNT(*) FROM payment WHERE order_id = ?")
                .param(order)
                .query(Integer.class)
                .single();
    }

    @Test
    void orders_on_two_instances_take_from_the_same_stock() {
        int before = quantity(3);

        place(3, 2);
        assertThat(two.post("/orders?product=3&quantity=5").join().status()).isEqualTo(201);

        assertThat(quantity(3)).isEqualTo(before - 7);
    }

    @Test
    void a_write_with_an_older_fencing_token_is_refused() {
        Stock stock = one.bean(Stock.class);
        LockTemplate locks = two.bean(LockTemplate.class);
        long older = tokenOf(locks);
        long newer = tokenOf(locks);
        stock.write(2, 40, newer);

        assertThatThrownBy(() -> stock.write(2, 99, older))
                .isInstanceOf(ResponseStatusException.class)
                .hasMessageContaining("fencing token " + older)
                .hasMessageContaining("somebody else has had the lock since");
        assertThat(quantity(2)).isEqualTo(40);
    }

    private static long tokenOf(LockTemplate locks) {
        try (LockHandle lock = locks.acquire("stock:2")) {
            return lock.fencingToken();
        }
    }

    @Test
    void what_cannot_be_sold_is_refused_with_a_reason() {
        assertThat(one.post("/orders?product=1&quantity=100000").join().status())
                .isEqualTo(409);
        assertThat(one.post("/orders?product=1&quantity=0").join().text()).contains("at least 1");
        assertThat(one.post("/orders?product=77").join().text()).contains("There is no product 77.");
        assertThat(one.get("/orders/777").status()).isEqualTo(404);
        assertThat(one.post("/orders").join().status()).isEqualTo(400);
    }

    @Test
    void a_busy_lock_is_a_conflict_that_says_so() {
        try (LockHandle held = two.bean(LockTemplate.class).acquire("stock:1")) {
            Answer answer = one.post("/orders?product=1").join();

            assertThat(held.isHeld()).isTrue();
            assertThat(answer.status()).isEqualTo(409);
            assertThat(answer.json().get("detail").asString()).contains("locked by another request");
        }
    }

    @Test
    void the_latest_orders_are_listed() {
        long order = place(1, 1);

        assertThat(two.get("/orders").json().get(0).get("id").asLong()).isGreaterThanOrEqualTo(order);
    }

    @Test
    void the_page_is_served() {
        assertThat(one.get("/").text()).contains("A shop that oversells without the lock");
    }

    private static long place(long product, int quantity) {
        Answer answer =
                one.post("/orders?product=" + product + "&quantity=" + quantity).join();
        assertThat(answer.status()).isEqualTo(201);
        assertThat(answer.json().get("paid").asBoolean()).isFalse();
        return answer.json().get("id").asLong();
    }

    private static int quantity(long product) {
        for (var node : one.get("/products").json()) {
            if (node.get("id").asLong() == product) {
                return node.get("quantity").asInt();
            }
        }
        throw new AssertionError("no product " + product);
    }
}
