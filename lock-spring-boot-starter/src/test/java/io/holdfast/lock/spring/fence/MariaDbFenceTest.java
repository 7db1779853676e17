package io.holdfast.lock.spring.fence;

import javax.sql.DataSource;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** On the server that {@code .ci/databases} starts. */
@EnabledIfSystemProperty(named = "fence.url", matches = "jdbc:mariadb:.*")
class MariaDbFenceTest extends FenceContract {

    @Override
    DataSource dataSource() {
        return new DriverManagerDataSource(System.getProperty("fence.url"));
    }

    /** An upsert, and a look at what it did. */
    @Override
    int statements() {
        return 2;
    }

    @Override
    String dropSchema() {
        return "drop schema if exists locks";
    }
}
