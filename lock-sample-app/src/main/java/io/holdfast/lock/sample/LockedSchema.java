package io.holdfast.lock.sample;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import java.time.Duration;
import javax.sql.DataSource;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.autoconfigure.ApplicationDataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.autoconfigure.init.SqlInitializationProperties;
import org.springframework.stereotype.Component;

/**
 * Runs {@code schema.sql} under a lock. Instances that start together would otherwise fail now and then: on PostgreSQL
 * two sessions can both find that a table does not exist and then both create it.
 */
@Component
@EnableConfigurationProperties(SqlInitializationProperties.class)
class LockedSchema extends ApplicationDataSourceScriptDatabaseInitializer {

    private final LockTemplate locks;

    LockedSchema(DataSource database, SqlInitializationProperties properties, LockTemplate locks) {
        super(database, properties);
        this.locks = locks;
    }

    @Override
    protected void runScripts(Scripts scripts) {
        locks.execute(LockRequest.of("shop:schema").waitFor(Duration.ofSeconds(30)), () -> super.runScripts(scripts));
    }
}
