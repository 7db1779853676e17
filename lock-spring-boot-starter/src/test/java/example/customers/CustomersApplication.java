package example.customers;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;

/** An application with Spring Data JDBC that needs its repository. */
@SpringBootApplication(proxyBeanMethods = false)
public final class CustomersApplication {

    public CustomersApplication(Customers customers) {
        System.out.println("REPORT customers " + (customers == null ? "missing" : "there"));
    }

    public static void main(String[] properties) {
        SpringApplication application = new SpringApplicationBuilder(CustomersApplication.class)
                .web(WebApplicationType.NONE)
                .properties(properties)
                .build();
        application.run().close();
    }
}
