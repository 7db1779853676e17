package io.holdfast.lock.migration.redisson;

import java.util.Set;

/**
 * A field that an application context sets to the client of Redisson.
 *
 * @param id the id of the variable
 * @param parameters the ids of the constructor parameters that are assigned to it
 * @param isPrivate whether only its file can use it
 */
record ClientField(String id, Set<String> parameters, boolean isPrivate) {

    boolean isOf(String variable) {
        return id.equals(variable) || parameters.contains(variable);
    }
}
