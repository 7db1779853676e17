package io.holdfast.lock.benchmarks.contention;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** A process that runs one job after another, as requested on its standard input, and ends when that ends. */
public final class Worker {

    static final String CONTEND = "CONTEND";
    static final String HAND_OVER = "HAND_OVER";
    static final String HOLD_MANY = "HOLD_MANY";

    private final BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    private final PrintStream out = System.out;

    private Worker() {
        System.setOut(System.err); // output of libraries is not a reply
    }

    /**
     * Starts the worker.
     *
     * @param args none
     */
    public static void main(String[] args) {
        int status = 0;
        try {
            new Worker().serve();
        } catch (Exception e) {
            e.printStackTrace();
            status = 1;
        }
        Runtime.getRuntime().halt(status);
    }

    private void serve() throws Exception {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            Job job = job(Message.parse(line));
            job.prepare();
            say(Message.of(Message.READY));
            if (in.readLine() == null) {
                return;
            }
            say(job.run(new Job.Marks() {
                @Override
                public void window() {
                    say(Message.of(Message.WINDOW));
                }

                @Override
                public void end() {
                    say(Message.of(Message.END));
                }
            }));
        }
    }

    private static Job job(Message order) {
        return switch (order.name()) {
            case CONTEND -> new Contention(order);
            case HAND_OVER -> new HandOver(order);
            case HOLD_MANY -> new HoldMany(order);
            default -> throw new IllegalArgumentException("No such job: " + order);
        };
    }

    private void say(Message message) {
        out.println(message.line());
        out.flush();
    }
}
