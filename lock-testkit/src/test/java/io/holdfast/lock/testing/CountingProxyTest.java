package io.holdfast.lock.testing;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;

class CountingProxyTest {

    private final CountingProxy proxy = new CountingProxy(TestRedis.shared().port());
    private final Jedis jedis = TestRedis.administrator(proxy.port());

    @BeforeEach
    void connect() {
        jedis.ping();
    }

    @AfterEach
    void close() {
        jedis.close();
        proxy.close();
    }

    @Test
    void what_a_script_calls_is_not_counted() {
        long before = proxy.total();

        jedis.eval("for i = 1, 10 do redis.call('INCR', 'counted') end redis.call('PUBLISH', 'c', 'm')");
        assertThat(jedis.del("counted")).isEqualTo(1);

        assertThat(proxy.total() - before).isEqualTo(2);
        assertThat(proxy.byName()).doesNotContainKeys("INCR", "PUBLISH");
    }

    @Test
    void bytes_are_counted_in_both_directions() {
        long to = proxy.bytesToRedis();
        long from = proxy.bytesFromRedis();

        jedis.echo("12345");

        assertThat(proxy.bytesToRedis() - to).isEqualTo("*2\r\n$4\r\nECHO\r\n$5\r\n12345\r\n".length());
        assertThat(proxy.bytesFromRedis() - from).isEqualTo("$5\r\n12345\r\n".length());
    }

    @Test
    void each_answer_that_is_waited_for_is_a_round_trip() {
        long before = proxy.roundTrips();

        jedis.ping();
        jedis.ping();

        assertThat(proxy.roundTrips() - before).isEqualTo(2);
    }

    /** The first of them takes a while, so that its answer comes when all are sent. */
    @Test
    void commands_that_are_sent_together_are_one_round_trip() {
        long before = proxy.roundTrips();
        long commands = proxy.total();

        try (Pipeline pipeline = jedis.pipelined()) {
            pipeline.blpop(0.2, "counted:nothing");
            pipeline.exists("counted:nothing");
            pipeline.exists("counted:nothing");
        }

        assertThat(proxy.roundTrips() - before).isEqualTo(1);
        assertThat(proxy.total() - commands).isEqualTo(3);
    }
}
