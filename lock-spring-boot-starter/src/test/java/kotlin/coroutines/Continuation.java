package kotlin.coroutines;

/** What the last parameter of a compiled suspend function looks like. */
public interface Continuation<T> {}
