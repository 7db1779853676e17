package io.holdfast.lock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.redis.driver.LuaScript;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ReflectionUtils;

class NativeHintsTest {

    private final RuntimeHints hints = registered();

    /** By way of the file that Spring reads. */
    private static RuntimeHints registered() {
        RuntimeHints hints = new RuntimeHints();
        ClassLoader loader = NativeHintsTest.class.getClassLoader();
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                .load(RuntimeHintsRegistrar.class)
                .stream()
                .filter(each -> each.getClass().getName().startsWith("io.holdfast."))
                .forEach(each -> each.registerHints(hints, loader));
        return hints;
    }

    @Test
    void every_script_is_kept() throws IOException {
        var scripts = new PathMatchingResourcePatternResolver().getResources("classpath*:io/holdfast/lock/redis/*.lua");
        assertThat(scripts).hasSizeGreaterThan(LuaScript.values().length);
        assertThat(Stream.of(scripts).map(each -> "io/holdfast/lock/redis/" + each.getFilename()))
                .allMatch(path ->
                        RuntimeHintsPredicates.resource().forResource(path).test(hints));
    }

    @Test
    void jedis_is_found_by_name() {
        assertThat(RuntimeHintsPredicates.reflection().onType(redis.clients.jedis.RedisClient.class))
                .accepts(hints);
    }

    @Test
    void servers_of_a_lettuce_factory_can_be_read() {
        Field field = ReflectionUtils.findField(LettuceConnectionFactory.class, "configuration");
        assertThat(field).isNotNull();
        assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(field)).accepts(hints);
    }

    @Test
    void pool_of_a_jedis_client_can_be_read() {
        Field field = ReflectionUtils.findField(redis.clients.jedis.UnifiedJedis.class, "provider");
        assertThat(field).isNotNull();
        assertThat(RuntimeHintsPredicates.reflection().onFieldAccess(field)).accepts(hints);
    }
}
