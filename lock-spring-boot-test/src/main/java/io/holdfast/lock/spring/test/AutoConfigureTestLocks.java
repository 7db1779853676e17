package io.holdfast.lock.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Gives a test locks in memory instead of those that the application is configured with, and a {@link TestLocks} bean to
 * play other clients, losses and outages. For {@code @SpringBootTest} as well as for tests of a part of the application
 * ({@code @WebMvcTest}, {@code @DataJpaTest} …), in which annotated methods fail without it.
 *
 * <pre>{@code
 * @WebMvcTest(OrderController.class)
 * @AutoConfigureTestLocks
 * class OrderControllerTest {
 *
 *     @Autowired
 *     TestLocks testLocks;
 *
 *     @Test
 *     void order_that_somebody_else_works_on_is_a_conflict() throws Exception {
 *         try (var elsewhere = testLocks.holdElsewhere("order:42")) {
 *             mvc.perform(post("/orders/42/payment")).andExpect(status().isConflict());
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>No {@code holdfast.*} property and no bean of the application has to change for it: the store in memory is the primary
 * one. A {@link io.holdfast.lock.api.LockTemplate} bean of the application's own stays in place; {@link TestLocks} has
 * an effect on it if it uses the primary {@link io.holdfast.lock.store.LockStore}.
 *
 * <p>After each test method, all simulations end, and all locks are free.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureTestLocks {}
