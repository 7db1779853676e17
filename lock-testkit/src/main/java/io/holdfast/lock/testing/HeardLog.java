package io.holdfast.lock.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** Records what a logger and its descendants log until this is closed. */
public final class HeardLog implements AutoCloseable {

    private final ListAppender<ILoggingEvent> heard = new ListAppender<>();
    private final Logger logger;
    private final Level former;

    public HeardLog(String name, Level level) {
        logger = (Logger) LoggerFactory.getLogger(name);
        former = logger.getLevel();
        logger.setLevel(level);
        heard.start();
        logger.addAppender(heard);
    }

    public List<ILoggingEvent> events() {
        return List.copyOf(heard.list);
    }

    @Override
    public void close() {
        logger.detachAppender(heard);
        logger.setLevel(former);
    }
}
