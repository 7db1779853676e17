package io.holdfast.lock.migration.redisson;

import static org.openrewrite.java.Assertions.java;

import io.holdfast.lock.migration.Recipes;
import org.junit.jupiter.api.Test;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;
import org.openrewrite.test.TypeValidation;

class FromRedissonTest implements RewriteTest {

    @Override
    public void defaults(RecipeSpec spec) {
        Recipes.use(spec, "FromRedisson");
    }

    private void becomes(String former, String migrated, String... imports) {
        rewriteRun(java(Shops.before(former), Shops.after(migrated, imports)));
    }

    private void staysWith(String note, String body) {
        String former = Shops.before(body);
        String noted = "        // Holdfast: " + note + "\n        RLock lock = redisson";
        rewriteRun(java(former, former.replace("        RLock lock = redisson", noted)));
    }

    @Test
    void lock_that_is_passed_on_is_left_and_marked() {
        staysWith(
                "this still uses Redisson: the lock is passed on as a Redisson lock; see docs/migration/redisson.md#lock",
                """
                RLock lock = redisson.getLock(key);
                System.out.println(lock);
                lock.lock();
                """);
    }

    @Test
    void lock_with_different_leases_is_left_and_marked() {
        staysWith("this lock is acquired with different leases; see docs/migration/redisson.md#try-wait-lease", """
                RLock lock = redisson.getLock(key);
                lock.lock(10, TimeUnit.SECONDS);
                lock.unlock();
                lock.lock(20, TimeUnit.SECONDS);
                """);
    }

    @Test
    void lock_keeps_its_calls() {
        becomes("""
                RLock lock = redisson.getLock(key);
                lock.lockInterruptibly();
                System.out.println(lock.getName() + lock.getHoldCount() + lock.isLocked());
                if (lock != null && lock.isHeldByCurrentThread()) {
                    lock.unlock();
                }
                """, """
                RemoteLock lock = lockTemplate.getLock(key);
                lock.lockInterruptibly();
                System.out.println(lock.key().value() + lock.holdCount() + lock.isLocked());
                if (lock != null && lock.isHeldByCurrentThread()) {
                    lock.unlock();
                }
                """, "RemoteLock");
    }

    @Test
    void lock_may_have_the_type_of_the_jdk_or_none() {
        becomes("""
                java.util.concurrent.locks.Lock lock = redisson.getSpinLock(key);
                lock.lock();
                var other = this.redisson.getFairLock(key);
                other.unlock();
                redisson.getLock(key).unlock();
                """, """
                java.util.concurrent.locks.Lock lock = lockTemplate.getLock(key);
                lock.lock();
                var other = lockTemplate.getFairLock(key);
                other.unlock();
                lockTemplate.getLock(key).unlock();
                """);
    }

    @Test
    void lease_moves_to_the_request_and_is_not_renewed() {
        becomes("""
                RLock lock = redisson.getLock(key);
                lock.lock(10, TimeUnit.SECONDS);
                lock.unlock();
                RLock fair = redisson.getFairLock(key);
                fair.tryLock(1, lease, unit);
                redisson.getReadWriteLock(key).writeLock().lock(200, TimeUnit.MILLISECONDS);
                RLock renewed = redisson.getLock(key);
                renewed.tryLock(1, -1, TimeUnit.SECONDS);
                """, """
                RemoteLock lock = lockTemplate.getLock(LockRequest.of(key).lease(Duration.ofSeconds(10)).renew(false));
                lock.lock();
                lock.unlock();
                RemoteLock fair = lockTemplate.getLock(LockRequest.of(key).fair(true).lease(Duration.of(lease, unit.toChronoUnit())).renew(false));
                fair.tryLock(1, unit);
                lockTemplate.getReadWriteLock(LockRequest.of(key).lease(Duration.ofMillis(200)).renew(false)).writeLock().lock();
                RemoteLock renewed = lockTemplate.getLock(key);
                renewed.tryLock(1, TimeUnit.SECONDS);
                """, "LockRequest", "RemoteLock", "Duration");
    }

    @Test
    void locks_of_a_pair_follow_the_pair() {
        becomes("""
                RReadWriteLock pair = redisson.getReadWriteLock(key);
                RLock read = pair.readLock();
                read.lock();
                """, """
                RemoteReadWriteLock pair = lockTemplate.getReadWriteLock(key);
                RemoteLock read = pair.readLock();
                read.lock();
                """, "RemoteLock", "RemoteReadWriteLock");
    }

    @Test
    void several_locks_are_one_request() {
        becomes("""
                RLock first = redisson.getLock("a");
                RLock both = redisson.getMultiLock(first, redisson.getLock("b"));
                both.lock(10, TimeUnit.MINUTES);
                """, """
                RemoteLock first = lockTemplate.getLock(LockRequest.of("a").lease(Duration.ofMinutes(10)).renew(false));
                RemoteLock both = lockTemplate.getLock(LockRequest.ofAll(List.of(first.key().value(), "b")).lease(Duration.ofMinutes(10)).renew(false));
                both.lock();
                """, "LockRequest", "RemoteLock", "Duration", "List");
    }

    @Test
    void semaphore_has_its_permits_in_the_request() {
        becomes("""
                RSemaphore gateway = redisson.getSemaphore(key);
                gateway.trySetPermits(2);
                if (!gateway.tryAcquire(1, TimeUnit.SECONDS)) {
                    return;
                }
                try {
                    System.out.println(key);
                } finally {
                    gateway.release();
                }
                """, """
                RemoteLock gateway = lockTemplate.getSemaphore(key, 2);
                if (!gateway.tryLock(1, TimeUnit.SECONDS)) {
                    return;
                }
                try {
                    System.out.println(key);
                } finally {
                    gateway.unlock();
                }
                """, "RemoteLock");
    }

    @Test
    void token_is_that_of_the_lock() {
        becomes("""
                RFencedLock lock = redisson.getFencedLock(key);
                Long token = lock.lockAndGetToken();
                System.out.println(token + lock.getToken());
                """, """
                RemoteLock lock = lockTemplate.getLock(key);
                lock.lock();
                Long token = lock.fencingToken();
                System.out.println(token + lock.fencingToken());
                """, "RemoteLock");
    }

    @Test
    void field_that_hides_and_is_hidden_is_told_apart() {
        rewriteRun(java("""
                import org.redisson.api.RLock;
                import org.redisson.api.RedissonClient;

                class Shop {
                    private final RedissonClient redisson;
                    private final RLock lock;

                    Shop(RedissonClient redisson) {
                        this.redisson = redisson;
                        this.lock = redisson.getLock("a");
                    }

                    void order(Gate lock) {
                        lock.lock(10, null);
                        this.lock.lock();
                        String redisson = "b";
                        System.out.println(redisson);
                    }

                    interface Gate {
                        void lock(long time, Object unit);
                    }
                }
                """, """
                import io.holdfast.lock.api.LockTemplate;
                import io.holdfast.lock.api.RemoteLock;

                class Shop {
                    private final LockTemplate lockTemplate;
                    private final RemoteLock lock;

                    Shop(LockTemplate lockTemplate) {
                        this.lockTemplate = lockTemplate;
                        this.lock = lockTemplate.getLock("a");
                    }

                    void order(Gate lock) {
                        lock.lock(10, null);
                        this.lock.lock();
                        String redisson = "b";
                        System.out.println(redisson);
                    }

                    interface Gate {
                        void lock(long time, Object unit);
                    }
                }
                """));
    }

    private static final String GIVEN =
            "        // Holdfast: this still uses Redisson: %s passes a RedissonClient to this class, and would have to pass a LockTemplate; see docs/migration/redisson.md#lock\n";
    private static final String CREATED = """
            import org.redisson.api.RLock;
            import org.redisson.api.RedissonClient;

            class Shop {
                private final RedissonClient redisson;

                Shop(RedissonClient redisson) {
                    this.redisson = redisson;
                }

                void order() {
            %s        RLock lock = redisson.getLock("a");
                    lock.lock();
                }
            }
            """;

    /** Otherwise the code that creates it would not compile any more. */
    @Test
    void class_that_code_creates_with_a_client_is_left_and_marked() {
        String creator = """
                import org.redisson.api.RedissonClient;

                class Configuration {
                    Shop shop(RedissonClient client) {
                        return new Shop(client);
                    }
                }
                """;
        rewriteRun(java(CREATED.formatted(""), CREATED.formatted(GIVEN.formatted("Configuration"))), java(creator));
    }

    @Test
    void class_that_a_test_injects_mocks_into_is_left_and_marked() {
        rewriteRun(
                spec -> spec.typeValidationOptions(TypeValidation.none()),
                java("@interface InjectMocks {}\n"),
                java(CREATED.formatted(""), CREATED.formatted(GIVEN.formatted("ShopTest"))),
                java("""
                        import org.redisson.api.RedissonClient;

                        class ShopTest {
                            RedissonClient redisson;
                            @InjectMocks Shop shop;
                        }
                        """));
    }

    @Test
    void settings_of_the_client_are_marked_in_a_class_of_their_own() {
        String configuration = """
                import org.redisson.Redisson;
                import org.redisson.api.RedissonClient;
                import org.redisson.config.Config;

                class Configuration {
                    RedissonClient client() {
                        Config config = new Config();
                %s        config.setLockWatchdogTimeout(10000);
                %s        config.useClusterServers()
                                .addNodeAddress("redis://a:6379")
                                .addNodeAddress("redis://b:6379");
                        return Redisson.create(config);
                    }
                }
                """;
        rewriteRun(
                java(
                        configuration.formatted("", ""),
                        configuration.formatted(
                                "        // Holdfast: holdfast.lease replaces the watchdog timeout; see docs/migration/redisson.md#configuration\n",
                                "        // Holdfast: locks do not use this address: set spring.data.redis or holdfast.redis.url, or they are kept at localhost:6379; see docs/migration/redisson.md#settings-of-the-client\n")));
    }

    @Test
    void constructor_may_be_generated() {
        String former = """
                import org.redisson.api.RLock;
                import org.redisson.api.RedissonClient;

                @AllArgsConstructor
                class Shop {
                    private final RedissonClient redisson;

                    void order() {
                %s        RLock lock = redisson.getLock("a");
                        lock.lock();
                    }
                }
                """;
        String creator = """
                import org.redisson.api.RedissonClient;

                class Configuration {
                    Shop shop(RedissonClient client) {
                        return new Shop(client);
                    }
                }
                """;
        rewriteRun(
                spec -> spec.typeValidationOptions(TypeValidation.none()),
                java("@interface AllArgsConstructor {}\n"),
                java(former.formatted(""), former.formatted(GIVEN.formatted("Configuration"))),
                java(creator));
    }

    /** Lock4j has a bean that is called lockTemplate. */
    @Test
    void field_that_is_injected_by_name_has_that_of_the_bean() {
        rewriteRun(java("@interface Resource {}\n"), java("""
                        import org.redisson.api.RedissonClient;

                        class Shop {
                            @Resource
                            private RedissonClient client;

                            void order() {
                                client.getLock("a").lock();
                            }
                        }
                        """, """
                        import io.holdfast.lock.api.LockTemplate;

                        class Shop {
                            @Resource
                            private LockTemplate holdfastLockTemplate;

                            void order() {
                                holdfastLockTemplate.getLock("a").lock();
                            }
                        }
                        """));
    }
}
