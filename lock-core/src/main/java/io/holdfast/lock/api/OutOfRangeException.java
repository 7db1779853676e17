package io.holdfast.lock.api;

/** A setting is outside its range. Nothing was changed. */
public final class OutOfRangeException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private final String name;
    private final transient Object value;
    private final String range;

    /**
     * Creates an instance.
     *
     * @param name the setting
     * @param value its value
     * @param range what is allowed, as the end of the sentence "it must be …"
     */
    public OutOfRangeException(String name, Object value, String range) {
        super(name + " is " + (value instanceof String ? "'" + value + "'" : value) + "; it must be " + range);
        this.name = name;
        this.value = value;
        this.range = range;
    }

    /** {@return the setting: the name of the method that sets it, or words} */
    public String name() {
        return name;
    }

    /** {@return its value} */
    public Object value() {
        return value;
    }

    /** {@return what is allowed, as the end of the sentence "it must be …"} */
    public String range() {
        return range;
    }
}
