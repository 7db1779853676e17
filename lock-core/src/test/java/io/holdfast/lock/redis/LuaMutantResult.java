package io.holdfast.lock.redis;

/** What came of a mutant. */
enum LuaMutantResult {
    KILLED,
    /** The server or a test did not end. */
    TIMED_OUT,
    SURVIVED,
    /** Does the same as the script, as far as can be told from outside: {@code lua-equivalent-mutants.txt} says why. */
    EQUIVALENT,
    /** Redis does not compile it: no mutant. */
    NO_LUA
}
