package example.orders;

import org.springframework.data.repository.CrudRepository;

/** A repository in Redis. */
public interface Orders extends CrudRepository<Order, String> {}
