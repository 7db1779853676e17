package io.holdfast.lock.migration.redisson;

import java.util.Set;

/**
 * A field that an application context sets to the client of Redisson.
 *
 * @param id that of the variable
 * @param parameters ids of the constructors' parameters that it is set to
 */
record ClientField(String id, Set<String> parameters) {

    boolean isOf(String variable) {
        return id.equals(variable) || parameters.contains(variable);
    }
}
