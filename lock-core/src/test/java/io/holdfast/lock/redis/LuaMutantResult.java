package io.holdfast.lock.redis;

/** What came of a mutant. */
enum LuaMutantResult {
    KILLED,
    /** The server or a test did not end. */
    TIMED_OUT,
    SURVIVED,
    /** Redis does not compile it: no mutant. */
    NO_LUA
}
