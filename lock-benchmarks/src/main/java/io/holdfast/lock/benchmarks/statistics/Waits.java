package io.holdfast.lock.benchmarks.statistics;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import java.util.zip.DataFormatException;
import org.HdrHistogram.Histogram;

/** How long threads waited, in nanoseconds, to about 1 %. Used by one thread at a time. */
public final class Waits {

    private static final long LONGEST = TimeUnit.MINUTES.toNanos(10);
    private static final int DIGITS = 2;

    private final Histogram histogram;

    public Waits() {
        this(new Histogram(LONGEST, DIGITS));
    }

    private Waits(Histogram histogram) {
        this.histogram = histogram;
    }

    public void record(long nanos) {
        histogram.recordValue(Math.min(LONGEST, Math.max(0, nanos)));
    }

    public void add(Waits others) {
        histogram.add(others.histogram);
    }

    /** {@return the value that this percentage of waits does not exceed, in nanoseconds} */
    public double percentile(double percent) {
        return histogram.getValueAtPercentile(percent);
    }

    /** {@return the longest wait, in nanoseconds; 0 if there is none} */
    public double longest() {
        return histogram.getMaxValue();
    }

    public long count() {
        return histogram.getTotalCount();
    }

    /** {@return text without spaces that {@link #parse} reads} */
    public String text() {
        ByteBuffer buffer = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
        int length = histogram.encodeIntoCompressedByteBuffer(buffer);
        return Base64.getEncoder().encodeToString(Arrays.copyOf(buffer.array(), length));
    }

    public static Waits parse(String text) {
        ByteBuffer bytes = ByteBuffer.wrap(Base64.getDecoder().decode(text));
        try {
            return new Waits(Histogram.decodeFromCompressedByteBuffer(bytes, LONGEST));
        } catch (DataFormatException e) {
            throw new IllegalArgumentException("Not a histogram: " + text, e);
        }
    }
}
