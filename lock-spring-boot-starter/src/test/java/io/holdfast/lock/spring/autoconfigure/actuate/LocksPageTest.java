package io.holdfast.lock.spring.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.spring.WebApplication;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpMethod;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** Who gets the page of {@code /actuator/locks}, and what it permits. How it looks and acts is tested in browsers. */
@Timeout(120)
class LocksPageTest {

    private static final String BROWSER =
            "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8";

    static class Nothing {}

    private static WebApplication readers;
    private static WebApplication operators;

    @BeforeAll
    static void start() {
        readers = WebApplication.start(Nothing.class, "management.endpoints.web.exposure.include=locks");
        operators = WebApplication.start(
                Nothing.class,
                "management.endpoints.web.exposure.include=locks",
                "management.endpoint.locks.access=unrestricted");
    }

    @AfterAll
    static void stop() {
        readers.close();
        operators.close();
    }

    private static String page(WebApplication application) {
        HttpResponse<String> answer = application.get("/actuator/locks", BROWSER);
        assertThat(answer.statusCode()).isEqualTo(200);
        return answer.body();
    }

    private static String type(HttpResponse<String> answer) {
        return answer.headers().firstValue("Content-Type").orElse("");
    }

    @Test
    void browser_gets_the_page() {
        HttpResponse<String> answer = readers.get("/actuator/locks", BROWSER);

        assertThat(type(answer)).isEqualToIgnoringCase("text/html;charset=UTF-8");
        assertThat(answer.body()).startsWith("<!doctype html>").contains("…").doesNotContain("${style", "${script");
    }

    @Test
    void whoever_accepts_anything_gets_json_as_before() {
        assertThat(type(readers.get("/actuator/locks"))).isEqualTo("application/vnd.spring-boot.actuator.v3+json");
        assertThat(type(readers.get("/actuator/locks", "*/*")))
                .isEqualTo("application/vnd.spring-boot.actuator.v3+json");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/json",
                "application/json, text/plain, */*",
                "application/json, text/html;q=0.5",
                "application/vnd.spring-boot.actuator.v2+json",
                "application/vnd.spring-boot.actuator.v3+json"
            })
    void clients_of_json_get_json(String accept) {
        HttpResponse<String> answer = readers.get("/actuator/locks", accept);

        assertThat(type(answer)).isEqualTo(accept.split(",")[0]);
        assertThat(answer.body()).startsWith("{\"held\":");
    }

    @Test
    void page_knows_whether_it_may_release() {
        assertThat(page(readers)).contains("data-writable=\"false\"");
        assertThat(page(operators)).contains("data-writable=\"true\"");
    }

    @Test
    void page_loads_nothing_else() {
        assertThat(page(readers))
                .doesNotContainPattern("(src|href)=\"(?!#|data:,)")
                .doesNotContain("@import")
                .doesNotContainPattern("url\\((?!#)");
    }

    @Test
    void policy_permits_exactly_the_style_and_the_script_of_the_page() throws Exception {
        String page = page(operators);

        assertThat(page)
                .contains("default-src 'none'")
                .contains("style-src " + hash(page, "<style>(.*?)</style>") + ";")
                .contains("script-src " + hash(page, "<script type=\"module\">(.*?)</script>") + ";")
                .doesNotContain("unsafe");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/actuator/locks", "/actuator/locks;a=b", "/actuator/%6Cocks", "/actuator/locks/some"})
    void other_sites_may_not_frame_what_the_endpoint_answers(String path) {
        assertThat(readers.get(path, BROWSER).headers().map())
                .containsEntry("Content-Security-Policy", List.of("frame-ancestors 'none'"))
                .containsEntry("X-Frame-Options", List.of("DENY"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/actuator", "/locks", "/actuator/locksmith"})
    void other_pages_of_the_application_keep_their_headers(String path) {
        assertThat(readers.get(path, BROWSER).headers().map())
                .doesNotContainKeys("Content-Security-Policy", "X-Frame-Options");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "server.servlet.context-path=/shop /shop/actuator/locks",
                "spring.mvc.servlet.path=/web /web/actuator/locks",
                "management.endpoints.web.base-path=/manage /manage/locks",
                "management.endpoints.web.path-mapping.locks=held /actuator/held",
                "management.server.port=0 /actuator/locks"
            })
    void page_may_not_be_framed_wherever_it_is(String property) {
        String[] words = property.split(" ");
        try (WebApplication elsewhere =
                WebApplication.start(Nothing.class, "management.endpoints.web.exposure.include=locks", words[0])) {
            HttpResponse<String> answer = elsewhere.getManagement(words[1], BROWSER);

            assertThat(answer.body()).startsWith("<!doctype html>");
            assertThat(answer.headers().firstValue("Content-Security-Policy")).contains("frame-ancestors 'none'");
        }
    }

    static class WithFilter {

        @Bean
        String holdfastLocksPageFilter() {
            return "own";
        }
    }

    @Test
    void application_may_replace_the_filter() {
        try (WebApplication own =
                WebApplication.start(WithFilter.class, "management.endpoints.web.exposure.include=locks")) {
            assertThat(own.get("/actuator/locks", BROWSER).headers().map()).doesNotContainKey("X-Frame-Options");
        }
    }

    @Test
    void reactive_server_forbids_framing_too() {
        WebFilter filter = new LocksPageHeaders.Reactive()
                .holdfastLocksPageFilter(new LocksPageHeaders(readers.bean(PathMappedEndpoints.class)));

        for (String path : List.of("/actuator/locks", "/actuator/locks;a=b", "/actuator/%6Cocks")) {
            assertThat(policy(filter, path)).as(path).isEqualTo("frame-ancestors 'none'");
        }
        assertThat(policy(filter, "/actuator/health")).isNull();
    }

    private static String policy(WebFilter filter, String path) {
        var exchange = MockServerWebExchange.from(MockServerHttpRequest.method(HttpMethod.GET, URI.create(path)));
        filter.filter(exchange, each -> Mono.empty()).block();
        return exchange.getResponse().getHeaders().getFirst("Content-Security-Policy");
    }

    private static String hash(String page, String content) throws Exception {
        Matcher found = Pattern.compile(content, Pattern.DOTALL).matcher(page);
        assertThat(found.find()).isTrue();
        byte[] digest =
                MessageDigest.getInstance("SHA-256").digest(found.group(1).getBytes(StandardCharsets.UTF_8));
        return "'sha256-" + Base64.getEncoder().encodeToString(digest) + "'";
    }
}
