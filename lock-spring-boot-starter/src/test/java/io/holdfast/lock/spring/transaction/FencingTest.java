package io.holdfast.lock.spring.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.holdfast.lock.api.LockHandle;
import io.holdfast.lock.api.LockRequest;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The SQL of the documentation: a holder who has not noticed its loss writes nothing. */
class FencingTest extends TransactionFixture {

    @BeforeEach
    void createTable() {
        outside.execute("drop table if exists stock");
        outside.execute("create table stock (article text primary key, available int not null,"
                + " token bigint not null default 0)");
        outside.update("insert into stock (article, available) values ('lamp', 10)");
    }

    private int reserve(LockHandle lock, int amount) {
        return jdbc.update(
                "update stock set available = available - ?, token = ? where article = ? and token <= ?",
                amount,
                lock.fencingToken(),
                "lamp",
                lock.fencingToken());
    }

    private LockHandle acquire() {
        return locks.acquire(LockRequest.of(KEY).lease(LEASE).renew(false)).detach();
    }

    @Test
    void later_holder_is_not_overwritten_by_a_former_one() {
        LockHandle former = acquire();
        assertThat(reserve(former, 1)).isOne();
        assertThat(reserve(former, 1)).isOne();
        loseStock();
        LockHandle later = acquire();
        assertThat(reserve(later, 3)).isOne();

        assertThat(reserve(former, 5)).isZero();
        assertThat(outside.queryForMap("select available, token from stock"))
                .isEqualTo(Map.of("available", 5, "token", later.fencingToken()));
    }

    @Test
    void annotated_method_knows_its_token() {
        long[] token = new long[1];
        service.lockedTransaction(() -> token[0] = locks.getLock(KEY).fencingToken());
        assertThat(token[0]).isPositive();
    }
}
