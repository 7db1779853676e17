package io.holdfast.lock.sample;

import io.holdfast.lock.api.LockRequest;
import io.holdfast.lock.api.LockTemplate;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.boot.jdbc.autoconfigure.ApplicationDataSourceScriptDatabaseInitializer;
import org.springframework.boot.sql.init.DatabaseInitializationMode;
import org.springframework.boot.sql.init.DatabaseInitializationSettings;
import org.springframework.stereotype.Component;

/**
 * Runs {@code schema.sql} under a lock. Instances that start together would otherwise fail now and then: on PostgreSQL
 * two sessions can both find that a table does not exist and then both create it.
 */
@Component
class LockedSchema extends ApplicationDataSourceScriptDatabaseInitializer {

    private final LockTemplate locks;

    LockedSchema(DataSource database, LockTemplate locks) {
        super(database, settings());
        this.locks = locks;
    }

    private static DatabaseInitializationSettings settings() {
        DatabaseInitializationSettings settings = new DatabaseInitializationSettings();
        settings.setSchemaLocations(List.of("classpath:schema.sql"));
        settings.setMode(DatabaseInitializationMode.ALWAYS);
        return settings;
    }

    @Override
    protected void runScripts(Scripts scripts) {
        locks.execute(LockRequest.of("shop:schema").waitFor(Duration.ofSeconds(30)), () -> super.runScripts(scripts));
    }
}
