package io.holdfast.lock.redis.overview;

import io.holdfast.lock.api.LockKey;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * A key for each master of a cluster. A call goes to the server that has its key; drivers report which server that is, but
 * have no common way to list the masters. So there is a key for each slot.
 */
final class SlotKeys {

    private static final int SLOTS = 16_384;

    /** Computed at the first scan of a cluster, in about 50 ms. */
    private static final class Numbers {
        private static final int[] BY_SLOT = find();

        private static int[] find() {
            int[] bySlot = new int[SLOTS];
            Arrays.fill(bySlot, -1);
            int missing = SLOTS;
            for (int number = 0; missing > 0; number++) {
                int slot = ClusterSlotHashUtil.calculateSlot(Integer.toString(number));
                if (bySlot[slot] < 0) {
                    bySlot[slot] = number;
                    missing--;
                }
            }
            return bySlot;
        }
    }

    private SlotKeys() {}

    /** Returns one key for each server. */
    static List<byte[]> ofServers(Servers servers, Function<LockKey, byte[]> names) {
        List<Integer> slots = servers.slotOfEachMaster();
        if (!slots.isEmpty()) {
            return slots.stream().map(slot -> key(Numbers.BY_SLOT[slot], names)).toList();
        }
        if (servers.isOneServer()) {
            return List.of(key(0, names));
        }
        Map<String, byte[]> keys = new LinkedHashMap<>();
        IntStream.of(Numbers.BY_SLOT)
                .mapToObj(number -> key(number, names))
                .forEach(key -> keys.putIfAbsent(servers.serverOf(key), key));
        return List.copyOf(keys.values());
    }

    private static byte[] key(int number, Function<LockKey, byte[]> names) {
        return names.apply(LockKey.of(Integer.toString(number)));
    }
}
