package io.holdfast.lock.sample;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An instance of the sample in this JVM, on a free port, and how to talk to it. */
public final class SampleInstance implements AutoCloseable {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final JsonMapper JSON = new JsonMapper();

    private final ConfigurableApplicationContext context;

    private SampleInstance(ConfigurableApplicationContext context) {
        this.context = context;
    }

    /**
     * @param directory where the instances of one test meet
     * @param redisPort where to look for a Redis
     */
    public static SampleInstance start(Path directory, int redisPort, String... arguments) {
        return start(directory, redisPort, context -> {}, arguments);
    }

    /**
     * @param beans registers what takes the place of the sample's own; also where that was built ahead of time, and has no
     *     other configuration classes
     */
    public static SampleInstance start(
            Path directory, int redisPort, Consumer<GenericApplicationContext> beans, String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.add("--server.port=0");
        all.add("--holdfast.redis.command-timeout=30s"); // the machine may stand still
        all.add("--shop.directory=" + directory);
        all.add("--spring.data.redis.host=127.0.0.1");
        all.add("--spring.data.redis.port=" + redisPort);
        return new SampleInstance(new SpringApplicationBuilder(ShopApplication.class)
                .main(ShopApplication.class)
                .initializers(context -> beans.accept((GenericApplicationContext) context))
                .run(all.toArray(String[]::new)));
    }

    /** A port where no Redis answers: this one is reserved, and free everywhere. */
    public static int noRedis() {
        return 1;
    }

    public record Answer(int status, String text) {
        public JsonNode json() {
            return JSON.readTree(text);
        }
    }

    public ConfigurableApplicationContext context() {
        return context;
    }

    public <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    public Answer get(String path) {
        return post(request(path).GET()).join();
    }

    public CompletableFuture<Answer> post(String path) {
        return post(request(path).POST(HttpRequest.BodyPublishers.noBody()));
    }

    private static CompletableFuture<Answer> post(HttpRequest.Builder request) {
        return HTTP.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString())
                .thenApply(answer -> new Answer(answer.statusCode(), answer.body()));
    }

    private HttpRequest.Builder request(String path) {
        String port = context.getEnvironment().getRequiredProperty("local.server.port");
        return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
    }

    @Override
    public void close() {
        context.close();
    }
}
