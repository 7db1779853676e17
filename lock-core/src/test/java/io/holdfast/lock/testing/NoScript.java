package io.holdfast.lock.testing;

import io.holdfast.lock.redis.driver.Wire;

/** The script of calls that no server sees. */
public record NoScript() implements Wire.Script {

    @Override
    public byte[] text() {
        return new byte[0];
    }

    @Override
    public byte[] sha() {
        return new byte[0];
    }

    @Override
    public boolean isForMany() {
        return false;
    }
}
