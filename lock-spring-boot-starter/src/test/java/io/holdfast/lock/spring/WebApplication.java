package io.holdfast.lock.spring;

import io.holdfast.lock.testing.TestRedis;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.CompletableFuture;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** A whole application on a real Redis, with a web server, as its users call it. */
public final class WebApplication implements AutoCloseable {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Everything {}

    private final HttpClient client = HttpClient.newHttpClient();
    private final ConfigurableApplicationContext context;
    private final int port;

    private WebApplication(ConfigurableApplicationContext context) {
        this.context = context;
        this.port = context.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    }

    /** Starts one. */
    public static WebApplication start(Class<?> configuration, String... properties) {
        return new WebApplication(new SpringApplicationBuilder(Everything.class, configuration)
                .properties(
                        "server.port=0",
                        "holdfast.shutdown.timeout=0s",
                        "spring.main.banner-mode=off",
                        "spring.jmx.enabled=false",
                        "spring.data.redis.host=127.0.0.1",
                        "spring.data.redis.port=" + TestRedis.shared().port(),
                        "spring.data.redis.client-type=jedis",
                        "holdfast.redis.command-timeout=30s")
                .properties(properties)
                .run());
    }

    public ConfigurableApplicationContext context() {
        return context;
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    public CompletableFuture<HttpResponse<String>> getLater(String path) {
        return client.sendAsync(request(path).build(), HttpResponse.BodyHandlers.ofString());
    }

    public HttpResponse<String> get(String path) {
        return send(request(path));
    }

    /** As a client that accepts only such answers. */
    public HttpResponse<String> get(String path, String accept) {
        return send(request(path).header("Accept", accept));
    }

    /** From the server that has the endpoints. */
    public HttpResponse<String> getManagement(String path, String accept) {
        int management = context.getEnvironment().getProperty("local.management.port", Integer.class, port);
        return send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + management + path))
                .header("Accept", accept));
    }

    public HttpResponse<String> delete(String path) {
        return send(request(path).DELETE());
    }

    /** Sends JSON. */
    public HttpResponse<String> post(String path, String json) {
        return send(request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    private HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        context.close();
    }
}
