package io.holdfast.lock.spring.fence;

import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;

class H2FenceTest extends FenceContract {

    @Override
    DataSource dataSource() {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:fence;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=" + patience.toMillis());
        return database;
    }
}
