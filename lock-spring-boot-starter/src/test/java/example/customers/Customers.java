package example.customers;

import org.springframework.data.repository.CrudRepository;

/** A repository in a database. */
public interface Customers extends CrudRepository<Customer, Long> {}
