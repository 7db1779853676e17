package io.holdfast.lock.spring.fence;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Has a few connections only, remembers the statements, and lets a test act before a commit. */
final class SmallPool extends DelegatingDataSource {

    final List<String> statements = new CopyOnWriteArrayList<>();
    volatile Runnable beforeCommit = () -> {};
    private final Semaphore free;
    private final int size;

    SmallPool(DataSource target, int size) {
        super(target);
        this.size = size;
        this.free = new Semaphore(size);
    }

    boolean isUnused() {
        return free.availablePermits() == size;
    }

    @Override
    public Connection getConnection() throws SQLException {
        try {
            if (!free.tryAcquire(30, TimeUnit.SECONDS)) {
                throw new SQLTransientConnectionException("No connection is free");
            }
        } catch (InterruptedException e) {
            throw new SQLTransientConnectionException(e);
        }
        Connection connection = super.getConnection();
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    switch (method.getName()) {
                        case "prepareStatement" -> statements.add((String) args[0]);
                        case "commit" -> beforeCommit.run();
                        case "close" -> {
                            if (!connection.isClosed()) {
                                free.release();
                            }
                        }
                        default -> {}
                    }
                    try {
                        return method.invoke(connection, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
