package io.holdfast.lock.spring.autoconfigure.actuate;

import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.function.BiConsumer;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.http.server.RequestPath;
import org.springframework.web.server.WebFilter;
import org.springframework.web.util.ServletRequestPathUtils;
import org.springframework.web.util.pattern.PathPattern;
import org.springframework.web.util.pattern.PathPatternParser;

/**
 * Forbids other sites to frame the page, where a user could be tricked into clicking its buttons: the policy inside the page cannot. An
 * endpoint cannot set headers, so a filter does, on the server that has the endpoints: it may have a port of its own.
 */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnAvailableEndpoint(endpoint = LocksEndpoint.class, exposure = EndpointExposure.WEB)
final class LocksPageHeaders {

    private final PathPattern locks;

    LocksPageHeaders(PathMappedEndpoints endpoints) {
        this.locks = PathPatternParser.defaultInstance.parse(endpoints.getPath(EndpointId.of("locks")) + "/**");
    }

    /** Matches the path as the endpoint does, decoded and without parameters: another spelling of the path makes no difference. */
    private void set(BiConsumer<String, String> headers, RequestPath path) {
        if (locks.matches(path.pathWithinApplication())) {
            headers.accept("Content-Security-Policy", "frame-ancestors 'none'");
            headers.accept("X-Frame-Options", "DENY");
        }
    }

    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static class Servlet {
        @Bean
        @ConditionalOnMissingBean(name = "holdfastLocksPageFilter")
        FilterRegistrationBean<Filter> holdfastLocksPageFilter(LocksPageHeaders page) {
            return new FilterRegistrationBean<>((request, response, chain) -> {
                RequestPath path = ServletRequestPathUtils.parse((HttpServletRequest) request);
                page.set(((HttpServletResponse) response)::setHeader, path);
                chain.doFilter(request, response);
            });
        }
    }

    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static class Reactive {
        @Bean
        @ConditionalOnMissingBean(name = "holdfastLocksPageFilter")
        WebFilter holdfastLocksPageFilter(LocksPageHeaders page) {
            return (exchange, chain) -> {
                page.set(
                        exchange.getResponse().getHeaders()::set,
                        exchange.getRequest().getPath());
                return chain.filter(exchange);
            };
        }
    }
}
