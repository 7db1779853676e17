package com.example.orders;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockTemplate;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistrar;
import redis.embedded.RedisServer;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@DirtiesContext // ends the application before its Redis
class OrderServiceTest {

    @Autowired
    private LockTemplate locks;

    @LocalServerPort
    private int port;

    @Test
    void order_that_is_being_paid_is_not_paid_again() throws Exception {
        try (LockHandle otherInstance = locks.acquire("order:42")) {
            assertThat(pay(42).statusCode()).isEqualTo(409);
            assertThat(pay(43).body()).isEqualTo("order 43 is paid\n");
        }
        assertThat(pay(42).body()).isEqualTo("order 42 is paid\n");
    }

    private HttpResponse<String> pay(long id) throws IOException, InterruptedException {
        URI address = URI.create("http://localhost:" + port + "/orders/" + id + "/pay");
        HttpRequest request = HttpRequest.newBuilder(address)
                .POST(HttpRequest.BodyPublishers.noBody())
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    @TestConfiguration(proxyBeanMethods = false)
    static class RealRedis {

        @Bean(initMethod = "start", destroyMethod = "stop")
        RedisServer redis() throws IOException {
            try (ServerSocket socket = new ServerSocket(0)) {
                return new RedisServer(socket.getLocalPort());
            }
        }

        @Bean
        DynamicPropertyRegistrar address(RedisServer redis) {
            return properties -> properties.add(
                    "holdfast.redis.url",
                    () -> "redis://localhost:" + redis.ports().get(0));
        }
    }
}
