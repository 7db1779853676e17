package io.holdfast.lock.spring.guest.orders;

import org.springframework.data.repository.CrudRepository;

/** A repository in Redis. */
public interface Orders extends CrudRepository<Order, String> {}
