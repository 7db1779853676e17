package io.holdfast.lock.spring.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Replaces the configured locks of the application with in-memory locks, and adds a {@link TestLocks} bean to simulate other
 * clients, losses and outages. For {@code @SpringBootTest} as well as for test slices ({@code @WebMvcTest}, {@code
 * @DataJpaTest} …), in which annotated methods fail without it.
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
 *     void order_locked_by_another_instance_is_a_conflict() throws Exception {
 *         try (var elsewhere = testLocks.holdElsewhere("order:42")) {
 *             mvc.perform(post("/orders/42/payment")).andExpect(status().isConflict());
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>It requires no changes to the application's {@code holdfast.*} properties or beans: the in-memory store is the primary
 * one. If the application defines its own {@link io.holdfast.lock.api.LockTemplate} bean, that stays in place; {@link
 * TestLocks} affects it if it uses the primary {@link io.holdfast.lock.store.LockStore}.
 *
 * <p>After each test method, all simulations end, and all locks are free.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
@ImportAutoConfiguration
public @interface AutoConfigureTestLocks {}
