package io.holdfast.lock.scenes;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.h2.tools.Server;

/**
 * Two counters in a database, each beside a log of its increments. Both read, add one, and write, so two writers at a
 * time lose an increment, and the counter is less than its log is long. One is guarded by the lock alone; the other
 * refuses tokens that are not greater than the last it saw.
 */
final class GuardedCounter {

    private final Connection connection;

    GuardedCounter(String url) throws SQLException {
        connection = DriverManager.getConnection(url, "sa", "");
        connection.setAutoCommit(false);
    }

    /** A database that other processes can use; it ends with this JVM. Nobody waits for its answers for ever. */
    static Server startDatabase() throws SQLException {
        return Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
    }

    static String url(Server database, String name) {
        return "jdbc:h2:tcp://127.0.0.1:" + database.getPort() + "/mem:" + name + ";DB_CLOSE_DELAY=-1;NETWORK_TIMEOUT="
                + TimeUnit.MINUTES.toMillis(1);
    }

    void create() throws SQLException {
        execute("CREATE TABLE counter (name VARCHAR PRIMARY KEY, amount BIGINT, token BIGINT)");
        execute("CREATE TABLE increment (name VARCHAR, token BIGINT)");
        execute("INSERT INTO counter VALUES ('lock', 0, 0), ('token', 0, 0)");
        connection.commit();
    }

    void incrementUnguarded() throws SQLException {
        long amount = number("SELECT amount FROM counter WHERE name = 'lock'");
        update("UPDATE counter SET amount = ? WHERE name = 'lock'", amount + 1);
        execute("INSERT INTO increment VALUES ('lock', 0)");
        connection.commit();
    }

    /** Returns false if a greater or equal token has been here. */
    boolean incrementByToken(long token) throws SQLException {
        long amount = number("SELECT amount FROM counter WHERE name = 'token'");
        boolean accepted = update(
                        "UPDATE counter SET amount = ?, token = ? WHERE name = 'token' AND token < ?",
                        amount + 1,
                        token,
                        token)
                == 1;
        if (accepted) {
            update("INSERT INTO increment VALUES ('token', ?)", token);
        }
        connection.commit();
        return accepted;
    }

    long amount(String name) throws SQLException {
        return number("SELECT amount FROM counter WHERE name = '" + name + "'");
    }

    long increments(String name) throws SQLException {
        return number("SELECT COUNT(*) FROM increment WHERE name = '" + name + "'");
    }

    private long number(String query) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(query)) {
            result.next();
            return result.getLong(1);
        }
    }

    private int update(String sql, long... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setLong(i + 1, values[i]);
            }
            return statement.executeUpdate();
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
