package io.holdfast.lock.spring.fence;

import io.holdfast.lock.api.LockKey;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.UncategorizedSQLException;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.support.SQLExceptionSubclassTranslator;
import org.springframework.jdbc.support.SQLExceptionTranslator;

/**
 * The guard rows: for each lock, the greatest fencing token under which a transaction was run.
 *
 * <p>A row is found by the SHA-256 of the key: keys may be longer than an index allows, may differ only in what the database's collation
 * ignores, and may be personal. The prefix of the keys in Redis is part of it, so that applications with their own locks do not meet.
 *
 * <p><b>Rows are deleted</b> once their token, which is the time of its grant in microseconds, is older than a day. A holder that is late
 * by more than that is not refused. A lock that is held for longer is still safe: the row of its successor is younger.
 *
 * <p><b>One statement where the database has one.</b> PostgreSQL would abort the transaction after a duplicate key. In MySQL, an update
 * that finds no row locks the gap instead, so two first holders of neighboring keys would deadlock; an upsert does not, but does not
 * report whether it was refused. Elsewhere, a failed insert leaves the transaction as it was: update, insert, and if another transaction
 * has inserted the row meanwhile, update.
 *
 * <p>Statements are sent on the transaction's connection. A {@code JdbcTemplate} would need its {@code DataSource}, which only the manager
 * knows.
 *
 * @param keyPrefix the prefix of the keys in Redis
 * @param name the name of the table, which may begin with that of its schema
 * @param creates whether the table is created at startup in the database of that JDBC URL, unless it exists
 */
public record FenceTable(String keyPrefix, String name, Predicate<String> creates) {

    private static final SQLExceptionTranslator TRANSLATOR = new SQLExceptionSubclassTranslator();
    private static final Duration RETENTION = Duration.ofDays(1);
    private static final int MAX_DELETED = 100;

    /**
     * Moves the row of a lock to the token of a holder, and locks the row until the transaction ends.
     *
     * @return false if a later holder has been there
     * @throws ConcurrencyFailureException if the isolation level hides what a concurrent transaction has done
     */
    boolean accepts(ConnectionHolder transaction, LockKey key, long token) {
        return accepts(transaction, id(key), token);
    }

    private boolean accepts(ConnectionHolder transaction, String id, long token) {
        String insert = "insert into " + name + " (lock_key, token) values (?, ?)";
        switch (product(transaction)) {
            case "PostgreSQL" -> {
                String upsert = " on conflict (lock_key) do update set token = excluded.token where " + name
                        + ".token <= excluded.token";
                return update(transaction, insert + upsert, id, token) == 1;
            }
            case "MySQL", "MariaDB" -> {
                String upsert = " on duplicate key update token = greatest(token, values(token))";
                update(transaction, insert + upsert, id, token);
                return Objects.equals(token, token(transaction, id, " for update"));
            }
            case "H2", "Oracle", "Microsoft SQL Server" -> {
                String update = "update " + name + " set token = ? where lock_key = ? and token <= ?";
                if (update(transaction, update, token, id, token) == 1 || inserts(transaction, insert, id, token)) {
                    return true;
                }
                return update(transaction, update, token, id, token) == 1 || refuses(transaction, id, token);
            }
            default ->
                throw new IllegalStateException("The SQL of " + product(transaction) + " is not known, only that of"
                        + " PostgreSQL, MySQL, MariaDB, H2, Oracle and Microsoft SQL Server");
        }
    }

    private static boolean inserts(ConnectionHolder transaction, String insert, String id, long token) {
        try {
            return update(transaction, insert, id, token) == 1;
        } catch (DuplicateKeyException exists) {
            return false;
        }
    }

    private boolean refuses(ConnectionHolder transaction, String id, long token) {
        Long stored = token(transaction, id, "");
        if (stored == null || stored <= token) {
            throw new ConcurrencyFailureException("A concurrent transaction under the same lock has changed " + name
                    + ", which is not visible at this isolation level. Repeat the transaction.");
        }
        return false;
    }

    private @Nullable Long token(ConnectionHolder transaction, String id, String suffix) {
        String select = "select lock_key, token from " + name + " where lock_key = ?" + suffix;
        return rows(transaction, select, id).get(id);
    }

    /** Creates the table if that is wanted; may fail if it exists. */
    void create(ConnectionHolder transaction) {
        if (creates.test(url(transaction))) {
            String product = product(transaction).replace("Microsoft SQL Server", "sqlserver");
            var script = new ClassPathResource("schema-" + product.toLowerCase(Locale.ROOT) + ".sql", FenceTable.class);
            try {
                String sql = script.getContentAsString(StandardCharsets.UTF_8);
                update(transaction, sql.replace("holdfast_fence", name).replace(";", ""));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** Does all that is done later, in a transaction that is to be rolled back. */
    void probe(ConnectionHolder transaction) {
        String id = UUID.randomUUID().toString();
        long token = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()); // as great as those of locks
        if (!accepts(transaction, id, token)
                || !accepts(transaction, id, token + 1)
                || accepts(transaction, id, token)) {
            throw new IllegalStateException("Table " + name
                    + " has accepted a lower token after a higher one: lock_key is not its primary key");
        }
        delete(transaction, id, token + 1);
    }

    /** {@return some of the rows that may be deleted, with their tokens} */
    Map<String, Long> unused(ConnectionHolder transaction) {
        long least = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now().minus(RETENTION));
        return rows(transaction, "select lock_key, token from " + name + " where token < ?", least);
    }

    /** Deletes a row, unless another holder has been there. */
    void delete(ConnectionHolder transaction, String id, long token) {
        update(transaction, "delete from " + name + " where lock_key = ? and token = ?", id, token);
    }

    /**
     * Whether two transactions use the same table. They may if it cannot be determined: PostgreSQL answers nothing in a transaction with a
     * statement that has failed, and a row that one of them has locked must not be waited for.
     */
    boolean isShared(ConnectionHolder one, ConnectionHolder other) {
        boolean isSameDatabase = url(one).equals(url(other));
        if (!isSameDatabase || name.contains(".")) {
            return isSameDatabase;
        }
        try {
            return schema(one).equals(schema(other));
        } catch (DataAccessException unknown) {
            return true;
        }
    }

    private static String url(ConnectionHolder transaction) {
        return call(transaction, "URL", connection -> connection.getMetaData().getURL());
    }

    private static String schema(ConnectionHolder transaction) {
        return call(transaction, "schema", connection -> connection.getCatalog() + ' ' + connection.getSchema());
    }

    private static String product(ConnectionHolder transaction) {
        return call(
                transaction, "product", connection -> connection.getMetaData().getDatabaseProductName());
    }

    private String id(LockKey key) {
        try {
            byte[] text = (keyPrefix + ":{" + key.value() + '}').getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("SHA-256 is not available on this Java platform", e);
        }
    }

    private interface Call<T, C> {
        T on(C connection) throws SQLException;
    }

    private static <T> T call(ConnectionHolder transaction, String task, Call<T, Connection> call) {
        try {
            return call.on(transaction.getConnection());
        } catch (SQLException e) {
            RuntimeException translated = TRANSLATOR.translate("Guard row of a lock", task, e);
            throw translated == null ? new UncategorizedSQLException("Guard row of a lock", task, e) : translated;
        }
    }

    private static <T> T call(
            ConnectionHolder transaction, String sql, Call<T, PreparedStatement> call, Object... arguments) {
        return call(transaction, sql, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                if (transaction.hasTimeout()) {
                    statement.setQueryTimeout(transaction.getTimeToLiveInSeconds());
                }
                for (int i = 0; i < arguments.length; i++) {
                    statement.setObject(i + 1, arguments[i]);
                }
                return call.on(statement);
            }
        });
    }

    private static int update(ConnectionHolder transaction, String sql, Object... arguments) {
        return call(transaction, sql, PreparedStatement::executeUpdate, arguments);
    }

    private static Map<String, Long> rows(ConnectionHolder transaction, String sql, Object argument) {
        Call<Map<String, Long>, PreparedStatement> query = statement -> {
            statement.setMaxRows(MAX_DELETED);
            Map<String, Long> rows = new HashMap<>();
            for (ResultSet result = statement.executeQuery(); result.next(); ) {
                rows.put(result.getString(1), result.getLong(2));
            }
            return rows;
        };
        return call(transaction, sql, query, argument);
    }
}
