package io.holdfast.lock.spring.fence;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.PlatformTransactionManager;

/** Transactions of JPA, with Hibernate. */
class JpaFenceTest extends FenceContract {

    @Entity
    @Table(name = "counter")
    public static class Counter {

        @Id
        private int id;

        private int amount;
    }

    @Override
    DataSource dataSource() {
        JdbcDataSource database = new JdbcDataSource();
        database.setURL("jdbc:h2:mem:jpa;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=" + patience.toMillis());
        return database;
    }

    /** Hibernate knows no savepoints. */
    @Override
    boolean nests() {
        return false;
    }

    @Override
    PlatformTransactionManager manager(SmallPool pool) {
        var factory = new LocalContainerEntityManagerFactoryBean();
        factory.setDataSource(pool);
        factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
        factory.setPackagesToScan(JpaFenceTest.class.getPackageName());
        factory.afterPropertiesSet();
        var manager = new JpaTransactionManager(factory.getObject());
        manager.afterPropertiesSet();
        return manager;
    }

    @Test
    void fence_is_the_first_statement_before_those_of_entities() {
        Instance instance = fenced(1);
        EntityManagerFactory entities = ((JpaTransactionManager) instance.manager).getEntityManagerFactory();
        instance.service.lockedTransaction(() -> {});
        instance.pool.statements.clear();
        instance.service.lockedTransaction(() -> {
            EntityManager manager = EntityManagerFactoryUtils.getTransactionalEntityManager(entities);
            manager.find(Counter.class, 1).amount++;
        });
        assertThat(instance.fences()).hasSize(1);
        assertThat(instance.pool.statements.get(0)).contains("holdfast_fence");
        assertThat(counted()).isEqualTo(1);
    }
}
