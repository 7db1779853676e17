package io.holdfast.lock.spring.guest;

import java.lang.management.ManagementFactory;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;

/** An application without a bean of its own, which tells how many classes it has loaded when it has started. */
final class ReportClasses {

    private ReportClasses() {}

    @SpringBootConfiguration
    @EnableAutoConfiguration
    static class Application {}

    public static void main(String[] properties) {
        var application = new SpringApplicationBuilder(Application.class)
                .properties(properties)
                .web(WebApplicationType.NONE);
        try (var unused = application.run()) {
            System.out.println(
                    "REPORT " + ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount());
        }
    }
}
