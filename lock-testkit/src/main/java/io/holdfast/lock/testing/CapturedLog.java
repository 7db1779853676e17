package io.holdfast.lock.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Records what a logger and its descendants log until this is closed. */
public final class CapturedLog implements AutoCloseable {

    private final ListAppender<ILoggingEvent> captured = new ListAppender<>();
    private final Logger logger;
    private final Level former;

    public CapturedLog(String name, Level level) {
        logger = (Logger) LoggerFactory.getLogger(name);
        former = logger.getLevel();
        logger.setLevel(level);
        captured.start();
        logger.addAppender(captured);
    }

    public List<ILoggingEvent> events() {
        return List.copyOf(captured.list);
    }

    @Override
    public void close() {
        logger.detachAppender(captured);
        logger.setLevel(former);
    }
}
