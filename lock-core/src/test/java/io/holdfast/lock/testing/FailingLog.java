package io.holdfast.lock.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;

/** A log that fails, such as one without room on its disk, until it is closed. */
public final class FailingLog extends TurboFilter implements AutoCloseable {

    public static final String FAILURE = "No space left on device";

    private static final LoggerContext LOGS = (LoggerContext) LoggerFactory.getILoggerFactory();

    private final Class<?> source;

    /** Makes each warning of a class fail. */
    public FailingLog(Class<?> source) {
        this.source = source;
        LOGS.addTurboFilter(this);
    }

    @Override
    public FilterReply decide(
            Marker marker, Logger logger, Level level, String format, Object[] params, Throwable failure) {
        if (level == Level.WARN && logger.getName().equals(source.getName())) {
            throw new IllegalStateException(FAILURE);
        }
        return FilterReply.NEUTRAL;
    }

    @Override
    public void close() {
        LOGS.getTurboFilterList().remove(this);
    }
}
