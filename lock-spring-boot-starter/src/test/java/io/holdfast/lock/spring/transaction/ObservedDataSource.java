package io.holdfast.lock.spring.transaction;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Remembers how transactions ended at the database, and lets a test look around at the moment of a commit. */
final class ObservedDataSource extends DelegatingDataSource {

    final List<String> ends = new CopyOnWriteArrayList<>();
    volatile Runnable beforeCommit = () -> {};
    volatile Runnable afterCommit = () -> {};

    ObservedDataSource(DataSource target) {
        super(target);
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    boolean commit = method.getName().equals("commit");
                    if (commit) {
                        beforeCommit.run();
                    }
                    try {
                        Object result = method.invoke(connection, args);
                        if (commit || method.getName().equals("rollback")) {
                            ends.add(args == null ? method.getName() : method.getName() + " to savepoint");
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    } finally {
                        if (commit) {
                            afterCommit.run();
                        }
                    }
                });
    }
}
