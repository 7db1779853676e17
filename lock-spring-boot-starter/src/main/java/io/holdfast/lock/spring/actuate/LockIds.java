package io.holdfast.lock.spring.actuate;

import io.holdfast.lock.api.LockKey;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Names for keys that may not be shown: nobody who sees one can guess the key, or compare it with that of another process. */
final class LockIds {

    private static final String ALGORITHM = "HmacSHA256";
    private static final int SHOWN_BYTES = 12;

    private final SecretKeySpec secret;

    LockIds() {
        byte[] random = new byte[32];
        new SecureRandom().nextBytes(random);
        secret = new SecretKeySpec(random, ALGORITHM);
    }

    String of(LockKey key) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            return HexFormat.of().formatHex(mac.doFinal(key.value().getBytes(StandardCharsets.UTF_8)), 0, SHOWN_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + " is not available on this Java platform", e);
        }
    }
}
