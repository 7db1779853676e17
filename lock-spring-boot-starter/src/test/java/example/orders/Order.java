package example.orders;

import org.springframework.data.annotation.Id;
import org.springframework.data.redis.core.RedisHash;

/** What an application keeps in Redis. */
@RedisHash("guest-order")
public record Order(@Id String id, String article) {}
