package example.customers;

import org.springframework.data.annotation.Id;

/** What an application keeps in a database, without any annotation of Spring Data JDBC. */
public record Customer(@Id Long id, String name) {}
