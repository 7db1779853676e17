package io.holdfast.lock.sample.race;

import io.holdfast.lock.sample.race.Instances.Instance;
import io.holdfast.lock.spring.annotation.DistributedLock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.stereotype.Service;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

/** Starts a race on all instances at once, over HTTP, and waits for the last one. */
@Service
class RaceDirector {

    private static final Logger log = LoggerFactory.getLogger(RaceDirector.class);
    private static final Duration LIMIT = Duration.ofMinutes(2);

    private final Instances instances;
    private final Races races;
    private final RestClient http;

    RaceDirector(Instances instances, Races races) {
        this.instances = instances;
        this.races = races;
        JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory();
        requests.setReadTimeout(LIMIT);
        http = RestClient.builder().requestFactory(requests).build();
    }

    /** One race at a time, on all instances together: a second one is refused immediately. */
    @DistributedLock(name = "race", waitFor = 0)
    public RaceResult run(RaceSettings settings) {
        List<Instance> runners = instances.alive();
        long id = races.begin(settings, runners);
        CompletableFuture<?>[] all = runners.stream()
                .map(runner -> CompletableFuture.runAsync(() -> run(id, runner), task -> new Thread(task).start()))
                .toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(all).join();
        races.end(id);
        return races.result(id);
    }

    private void run(long id, Instance runner) {
        try {
            Selling.Tally tally = http.post()
                    .uri("http://127.0.0.1:{port}/races/{id}/{runner}", runner.port(), id, runner.id())
                    .retrieve()
                    .body(Selling.Tally.class);
            races.finish(id, runner.id(), Objects.requireNonNull(tally));
        } catch (RestClientException e) {
            log.warn("{} is gone: {}", runner.name(), e.getMessage());
        }
    }
}
