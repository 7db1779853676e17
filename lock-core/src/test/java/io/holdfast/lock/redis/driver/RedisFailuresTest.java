package io.holdfast.lock.redis.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.holdfast.lock.api.LockStoreException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.cert.CertificateException;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.data.redis.RedisConnectionFailureException;
import redis.clients.jedis.exceptions.JedisClusterOperationException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** What becomes of failed connections, as each driver reports them. */
class RedisFailuresTest {

    private static final String REASON = "unable to find valid certification path";

    private static SSLHandshakeException untrusted() {
        SSLHandshakeException handshake = new SSLHandshakeException("PKIX path building failed");
        handshake.initCause(new CertificateException(REASON));
        return handshake;
    }

    private static RuntimeException jedis(Exception cause) {
        return new JedisConnectionException(cause);
    }

    private static RuntimeException lettuce(Throwable cause) {
        return new RedisConnectionException("Unable to connect to 127.0.0.1/<unresolved>:6380", cause);
    }

    private static RuntimeException spring(RuntimeException ofDriver) {
        return new RedisConnectionFailureException("Unable to connect to Redis", ofDriver);
    }

    static Stream<Named<RuntimeException>> handshakes() {
        return Stream.of(
                Named.of("Jedis", jedis(untrusted())),
                Named.of("Jedis, through Spring", spring(jedis(untrusted()))),
                Named.of("Lettuce", lettuce(untrusted())),
                Named.of("Lettuce, through Spring", spring(lettuce(untrusted()))),
                Named.of("Lettuce, decoding", spring(lettuce(new DecoderException(untrusted())))),
                Named.of("Lettuce, future", spring(lettuce(new ExecutionException(untrusted())))));
    }

    private static LockStoreException translated(RuntimeException failure) {
        return RedisFailures.translate(failure, "Redis at 127.0.0.1:6380", false);
    }

    private static void assertHandshake(LockStoreException reported) {
        assertThat(reported)
                .hasMessageStartingWith("The TLS handshake with Redis at 127.0.0.1:6380 failed.")
                .hasMessageContainingAll(
                        "trusts its certificate",
                        "spring.data.redis.ssl.bundle",
                        "holdfast.redis.ssl.bundle",
                        "holdfast.quorum.ssl.bundle");
        assertThat(reported.outcomeUnknown()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("handshakes")
    void handshake_that_fails_is_reported_as_such(RuntimeException failure) {
        LockStoreException reported = translated(failure);

        assertHandshake(reported);
        assertThat(reported).hasMessageContaining(REASON).hasCause(failure);
    }

    static Stream<RuntimeException> certificatesForAnotherHost() {
        return Stream.of(
                        "No name matching redis.example.com found",
                        "No subject alternative DNS name matching redis.example.com found.",
                        "No subject alternative names matching IP address 127.0.0.1 found",
                        "No subject alternative names present")
                .map(reason -> {
                    SSLHandshakeException handshake = new SSLHandshakeException(reason);
                    handshake.initCause(new CertificateException(reason));
                    return handshake;
                })
                .flatMap(handshake -> Stream.of(jedis(handshake), spring(lettuce(handshake))));
    }

    @ParameterizedTest
    @MethodSource("certificatesForAnotherHost")
    void certificate_for_another_host_is_reported_as_such(RuntimeException failure) {
        assertThat(translated(failure))
                .hasMessageStartingWith("The TLS handshake with Redis at 127.0.0.1:6380 failed.")
                .hasMessageContaining("certificate contains the host name or IP address")
                .hasMessageNotContainingAny("trusts", "ssl.bundle");
    }

    @Test
    void host_that_a_verifier_rejects_is_reported_as_such() {
        assertThat(translated(new JedisConnectionException(
                        "The connection to 'redis.example.com' failed ssl/tls hostname verification.")))
                .hasMessageContaining("certificate contains the host name or IP address");
    }

    /** The server says nothing, or not what TLS begins with; only Lettuce notices. */
    @Test
    void server_without_tls_is_a_failed_handshake_to_lettuce() {
        assertHandshake(translated(spring(lettuce(new SslHandshakeTimeoutException("handshake timed out")))));
        assertHandshake(translated(spring(lettuce(new NotSslRecordException("not an SSL/TLS record: 2d455252")))));
    }

    @Test
    void server_without_tls_is_a_broken_connection_to_jedis() {
        assertThat(translated(jedis(new SocketTimeoutException("Read timed out"))))
                .hasMessageContainingAll("did not respond in time", "both sides agree on TLS");
        assertThat(translated(jedis(new SSLException("Unsupported or unrecognized SSL message"))))
                .hasMessageContainingAll("was lost", "is a Redis server", "both sides agree on TLS");
    }

    @Test
    void server_that_does_not_listen_is_no_failed_handshake() {
        LockStoreException reported = translated(spring(lettuce(new ConnectException("Connection refused"))));

        assertThat(reported).hasMessageContaining("cannot be reached");
        assertThat(reported.outcomeUnknown()).isFalse();
    }

    private static RuntimeException with(RuntimeException failure, Throwable... suppressed) {
        Stream.of(suppressed).forEach(failure::addSuppressed);
        return failure;
    }

    /** Jedis reports the failure of each address of a server, and those of all nodes of a cluster. */
    private static RuntimeException noTopology(RuntimeException... nodes) {
        return with(new JedisClusterOperationException("Could not initialize cluster slots cache."), nodes);
    }

    private static RuntimeException unconnected(Exception... addresses) {
        return with(new JedisConnectionException("Failed to connect to redis-1:7000."), addresses);
    }

    @Test
    void nodes_that_refuse_connections_cannot_be_reached() {
        LockStoreException reported = translated(noTopology(unconnected(new ConnectException("Connection refused"))));

        assertThat(reported).hasMessageContaining("cannot be reached");
        assertThat(reported.outcomeUnknown()).isFalse();
    }

    @Test
    void server_that_does_not_accept_a_connection_in_time_did_not_respond() {
        assertThat(translated(unconnected(new SocketTimeoutException("Connect timed out"))))
                .hasMessageContaining("did not respond in time");
        assertThat(translated(noTopology(unconnected(new SocketTimeoutException("Connect timed out")))))
                .hasMessageContaining("did not respond in time");
    }

    @Test
    void error_of_a_node_is_reported_if_no_node_knows_the_cluster() {
        RuntimeException error = new JedisDataException("ERR This instance has cluster support disabled");

        assertThat(translated(noTopology(unconnected(), error))).hasMessageContaining("is not part of a Redis Cluster");
    }

    /** Jedis, in an application's factory, repeats calls to a cluster, and reports only the last failure. */
    @Test
    void call_of_which_only_the_last_attempt_was_refused_may_have_been_carried_out() {
        RuntimeException refused = unconnected(new ConnectException("Connection refused"));
        RuntimeException moved = new JedisDataException("CLUSTERDOWN The cluster is down");

        assertThat(translated(repeated(refused)).outcomeUnknown()).isTrue();
        assertThat(translated(repeated(moved)).outcomeUnknown()).isTrue();
    }

    private static RuntimeException repeated(RuntimeException last) {
        return with(new JedisClusterOperationException("No more cluster attempts left."), last);
    }

    @Test
    void failures_that_are_causes_of_each_other_are_reported() {
        RuntimeException one = new JedisConnectionException("Unexpected end of stream.");
        RuntimeException other = new JedisConnectionException("Broken pipe", one);

        assertThat(translated(with(one, other))).hasMessageContaining("was lost");
    }

    private static final String UNREACHABLE =
            "Redis at 127.0.0.1:6380 cannot be reached. Check that the server is running,"
                    + " that its address is correct (spring.data.redis.*, or holdfast.redis.url or holdfast.quorum.nodes if set), and"
                    + " that the network between the server and this process works. ";
    private static final String NO_FILES =
            "This process cannot open a connection to Redis at 127.0.0.1:6380, because it has too"
                    + " many open files. Raise its limit (ulimit -n), or find out what keeps them open. ";
    private static final String REJECTED = "Redis at 127.0.0.1:6380 rejected the call: ";
    private static final String DISABLED =
            "A command that locks need is disabled or renamed on the server (rename-command), or a"
                    + " proxy in between does not support it: enable it, or connect to the server directly.";

    /** Failures as drivers report them, and the whole text that users see. In none of them, anything was sent. */
    static Stream<Arguments> texts() {
        Exception noRoute = new NoRouteToHostException("No route to host");
        Exception noNetwork = new SocketException("Network is unreachable");
        Exception noFiles = new SocketException("Too many open files");
        Exception refused = new ConnectException("Connection refused");
        return Stream.of(
                arguments(unconnected(noRoute), UNREACHABLE + "(java.net.NoRouteToHostException: No route to host)"),
                arguments(unconnected(noNetwork), UNREACHABLE + "(java.net.SocketException: Network is unreachable)"),
                arguments(
                        unconnected(refused, noNetwork),
                        UNREACHABLE + "(java.net.ConnectException: Connection refused; java.net.SocketException:"
                                + " Network is unreachable)"),
                arguments(unconnected(noFiles), NO_FILES + "(java.net.SocketException: Too many open files)"),
                arguments(
                        spring(lettuce(new IllegalStateException("Failed to open a socket.", noFiles))),
                        NO_FILES + "(java.net.SocketException: Too many open files)"),
                arguments(
                        spring(lettuce(noNetwork)), UNREACHABLE + "(java.net.SocketException: Network is unreachable)"),
                arguments(
                        noTopology(unconnected(refused), unconnected(noRoute)),
                        UNREACHABLE + "(java.net.ConnectException: Connection refused;"
                                + " java.net.NoRouteToHostException: No route to host)"),
                arguments(
                        jedis(new UnknownHostException("redis-1")),
                        UNREACHABLE + "(java.net.UnknownHostException: redis-1)"),
                arguments(
                        new JedisDataException(
                                "ERR unknown command 'EVALSHA', with args beginning with: 'e0' 'secret' "),
                        REJECTED + "ERR unknown command 'EVALSHA'. " + DISABLED),
                arguments(
                        new RedisCommandExecutionException("ERR Error running script (call to f_1): @user_script:36:"
                                + " Unknown Redis command called from Lua script"),
                        REJECTED
                                + "ERR Error running script (call to f_1): @user_script:36: Unknown Redis command called"
                                + " from Lua script. " + DISABLED),
                arguments(new JedisDataException("upstream failure"), REJECTED + "upstream failure."),
                arguments(
                        new JedisDataException("ERR syntax error"),
                        REJECTED
                                + "ERR syntax error. Check that the server version is 6.2 or later, and that nothing else"
                                + " writes under the key prefix."));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void failure_is_told_in_full(RuntimeException failure, String text) {
        LockStoreException reported = translated(failure);

        assertThat(reported).hasMessage(text);
        assertThat(reported.outcomeUnknown()).isFalse();
        assertThat(RedisFailures.isBrokenConnection(reported)).isFalse();
    }
}
