package io.holdfast.lock.benchmarks.annotated;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.aop.support.AopUtils;

/** What is measured takes locks. */
class ApplicationTest {

    private final Application application = new Application();

    @BeforeEach
    void start() {
        application.start();
    }

    @AfterEach
    void stop() {
        application.stop();
    }

    @Test
    void annotated_methods_and_the_template_do_the_same_under_the_same_lock() {
        assertThat(AopUtils.isAopProxy(application.orders())).isTrue();
        assertThat(application.orders().pay(41)).isEqualTo(42);
        assertThat(application.template().<Long, RuntimeException>execute("order:41", () -> Orders.work(41)))
                .isEqualTo(42);
        assertThat(application.template().inspect("order:41").lastFencingToken())
                .isPositive();
        assertThat(application.orders().payAt("text", 41)).isEqualTo(46);
        assertThat(application.template().inspect("order:text:41").lastFencingToken())
                .isPositive();
    }
}
