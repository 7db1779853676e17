package io.holdfast.lock.spring.fence;

import io.holdfast.lock.spring.transaction.TestPostgres;
import javax.sql.DataSource;

class PostgresFenceTest extends FenceContract {

    @Override
    DataSource dataSource() {
        return TestPostgres.dataSource();
    }
}
